import type { ToolSpec } from '../assistant-provider.ts';
import type { ContactQuestion } from './conversation.ts';
import type { Language } from './languages.ts';
import { type FilledParameters, fillParameters, type Parameter, readValue } from './parameter-values.ts';
import { fillPhrase, listPhrases, textBeforeBlank } from './phrases.ts';
import type { Linguistics } from './query.ts';
import { isQuestionWord } from './question-words.ts';
import { stemSimilarity } from './stem-similarity.ts';
import { takeFirstAndLast, truncateMiddle } from './text-limits.ts';
import type { YieldControl } from './time-slices.ts';
import { foldDiacritics, splitWords } from './words.ts';

export interface ChosenTool extends FilledParameters {
  tool: ToolSpec;
}

interface Subject {
  stem: string;
  related: ReadonlyMap<string, number>;
}

const MIN_SIMILARITY = 0.8;

/** Words in tool descriptions that say nothing about the tool's subject. */
const GENERIC_WORDS = new Set(
  (
    'get gets fetch fetches return returns retrieve retrieves look looks lookup up find finds query queries call calls use used api ' +
    'tool function endpoint action request user users customer customers client contact asks given current ' +
    'obtiene devuelve consulta usuario cliente llama herramienta acción liefert holt gibt kunde kunden nutzer ruft abfrage'
  ).split(' '),
);

/** Share of the question's words that must match a tool, by its name and by its description alone. */
const MIN_SHARE = 0.5;
const MIN_SHARE_BY_DESCRIPTION = 0.66;
/** A single matching word is not enough. */
const MIN_WORDS = 2;

const WORDS_AT_EACH_END = 64;
const MAX_TOOL_WORDS = 500;
/** Tools with more parameters are never called, because a contact would be asked for them one by one. */
const MAX_PARAMETERS = 100;

export interface ToolIndex {
  /** Returns the tool that the question names clearly, else `null`. */
  choose(
    languages: readonly Language[],
    question: string,
    yieldControl: YieldControl,
  ): Promise<ChosenTool | null>;
  /** Continues with the tool whose parameter `answered` asked for. `null` if the reply is not a value for it. */
  resume(
    answered: string,
    reply: Pick<ContactQuestion, 'text' | 'earlier'>,
    yieldControl: YieldControl,
  ): Promise<ChosenTool | null>;
}

interface IndexedTool {
  tool: ToolSpec;
  name: readonly Subject[];
  about: readonly Subject[];
}

/** Languages cached per revision. Contacts choose the language, so the number is bounded. */
const MAX_LANGUAGES = 2;

/** Creates the index. Tool descriptions are stemmed once per cached language. */
export function createToolIndex(linguistics: Linguistics, tools: readonly ToolSpec[]): ToolIndex {
  const callable = tools.filter(({ parameters }) => parameters.length <= MAX_PARAMETERS);
  const described = new Map<Language, readonly IndexedTool[]>();
  const describedIn = async (
    language: Language,
    yieldControl: YieldControl,
  ): Promise<readonly IndexedTool[]> => {
    const known = described.get(language);
    if (known !== undefined) return known;
    const read: IndexedTool[] = [];
    for (const tool of callable) {
      await yieldControl();
      read.push(await indexTool(linguistics, language, tool));
    }
    described.set(language, read);
    for (const earliest of described.keys()) {
      if (described.size <= MAX_LANGUAGES) break;
      described.delete(earliest);
    }
    return read;
  };
  return {
    async choose(languages, question, yieldControl) {
      const language = languages[0] ?? 'english';
      let best: { chosen: ChosenTool; score: number } | null = null;
      for (const { tool, name, about } of await describedIn(language, yieldControl)) {
        const filling = await fillParameters(tool.parameters, question, yieldControl);
        const words = await extractSubjects(linguistics, language, removeValues(question, filling));
        const asked = takeFirstAndLast(words, WORDS_AT_EACH_END);
        await yieldControl();
        const score = scoreTool(asked, name, about, Object.keys(filling.values).length > 0);
        if (score > (best?.score ?? 0)) best = { chosen: { tool, ...filling }, score };
      }
      return best?.chosen ?? null;
    },
    resume: (answered, reply, yieldControl) => resumeTool(callable, answered, reply, yieldControl),
  };
}

async function indexTool(linguistics: Linguistics, language: Language, tool: ToolSpec): Promise<IndexedTool> {
  const name = await extractSubjects(linguistics, language, spellOut(tool.name));
  const about = await extractSubjects(
    linguistics,
    language,
    [tool.description, ...tool.parameters.map((each) => spellOut(each.name))].join(' '),
  );
  return { tool, name, about: [...name, ...about].slice(0, MAX_TOOL_WORDS) };
}

/** Returns 0 without a match. A question without a parameter value must name the tool in full. */
function scoreTool(
  asked: readonly Subject[],
  name: readonly Subject[],
  about: readonly Subject[],
  isFilled: boolean,
): number {
  const share = matchedShare(asked, about);
  const named = matchedShare(name, asked);
  const isEnough = share === 1 || share * asked.length >= MIN_WORDS;
  if (named >= (isFilled ? 0.5 : 1) && share >= MIN_SHARE && isEnough) return 1 + share + named;
  if (isFilled && share >= MIN_SHARE_BY_DESCRIPTION && share * asked.length >= MIN_WORDS) return share;
  return 0;
}

function matchedShare(words: readonly Subject[], others: readonly Subject[]): number {
  if (words.length === 0) return 0;
  const met = words.filter(({ stem, related }) =>
    others.some((other) => related.has(other.stem) || stemSimilarity(stem, other.stem) >= MIN_SIMILARITY),
  );
  return met.length / words.length;
}

async function extractSubjects(
  { stemming, lexicons }: Linguistics,
  language: Language,
  text: string,
): Promise<Subject[]> {
  const forms = splitWords(text).flatMap(({ form, numeric }) => (numeric ? [] : [form]));
  const stems = await stemming.stems(language, forms);
  const lexicon = await lexicons(language);
  const subject = forms.filter((form) => !isQuestionWord(language, form) && !GENERIC_WORDS.has(form));
  const distinct = new Set(subject.flatMap((form) => stems.get(form) ?? []));
  return [...distinct].map((stem) => ({ stem, related: lexicon.related(stem) }));
}

function removeValues(question: string, { values }: FilledParameters): string {
  return Object.values(values).reduce<string>(
    (text, value) => (typeof value === 'string' ? text.replace(value, ' ') : text),
    question,
  );
}

/** `orderStatus` and `order_status` → `order Status` and `order status`. */
function spellOut(name: string): string {
  return name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replace(/[_-]+/g, ' ');
}

export function parameterQuestion(phrase: string, { name, description }: Parameter): string {
  return fillPhrase(phrase, description.trim() === '' ? spellOut(name) : description.trim());
}

async function resumeTool(
  tools: readonly ToolSpec[],
  answered: string,
  { text, earlier }: Pick<ContactQuestion, 'text' | 'earlier'>,
  yieldControl: YieldControl,
): Promise<ChosenTool | null> {
  const said = foldDiacritics(answered);
  const phrases = listPhrases().filter(({ askFor }) =>
    said.startsWith(foldDiacritics(textBeforeBlank(askFor))),
  );
  if (phrases.length === 0) return null;
  for (const tool of tools) {
    await yieldControl();
    const asked = tool.parameters.find((parameter) =>
      phrases.some(({ askFor }) => foldDiacritics(parameterQuestion(askFor, parameter)) === said),
    );
    if (asked === undefined) continue;
    const value = readValue(asked, text);
    if (value === null) return null;
    const others = tool.parameters.filter((parameter) => parameter !== asked);
    const before = truncateMiddle(earlier.slice(0, tool.parameters.length).join('\n'));
    const { values, missing } = await fillParameters(others, before, yieldControl);
    return { tool, values: { ...values, [asked.name]: value }, missing };
  }
  return null;
}
