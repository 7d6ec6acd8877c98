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

/** A tool that the question names, with what it says of the parameters. */
export interface ChosenTool extends FilledParameters {
  tool: ToolSpec;
}

/** A word of a question or of a tool's description. */
interface Subject {
  stem: string;
  related: ReadonlyMap<string, number>;
}

/** Below it, words are not taken for the same. */
const MIN_SIMILARITY = 0.8;

/** Words of describing a tool, not of what it is about. */
const GENERIC_WORDS = new Set(
  (
    'get gets fetch fetches return returns retrieve retrieves look looks lookup up find finds query queries call calls use used api ' +
    'tool function endpoint action request user users customer customers client contact asks given current ' +
    'obtiene devuelve consulta usuario cliente llama herramienta acción liefert holt gibt kunde kunden nutzer ruft abfrage'
  ).split(' '),
);

/** Share of the question's words that a tool must cover, when its name is recognised and when only its description is. */
const MIN_SHARE = 0.5;
const MIN_SHARE_BY_DESCRIPTION = 0.66;
/** Words: one alone may be said of anything. */
const MIN_WORDS = 2;

/** Words of a question, of the first and of the last each, and of what is said of a tool, that are compared. */
const WORDS_AT_EACH_END = 64;
const MAX_TOOL_WORDS = 500;
/** Nobody can be asked for more values, one after another: a tool that needs more is not called. */
const MAX_PARAMETERS = 100;

/** A revision's tools. */
export interface ToolIndex {
  /** The tool that the question names; `null` when it names none clearly. */
  choose(
    languages: readonly Language[],
    question: string,
    yieldControl: YieldControl,
  ): Promise<ChosenTool | null>;
  /**
   * Goes on with the tool whose parameter the assistant has just asked for with `answered`. `null` when the reply is no
   * value for it.
   */
  resume(
    answered: string,
    reply: Pick<ContactQuestion, 'text' | 'earlier'>,
    yieldControl: YieldControl,
  ): Promise<ChosenTool | null>;
}

/** What a tool is recognised by, in one language. */
interface IndexedTool {
  tool: ToolSpec;
  name: readonly Subject[];
  about: readonly Subject[];
}

/** Of what is said of the tools; the contacts choose the language. */
const MAX_LANGUAGES = 2;

/** Makes the index; what is said of the tools is read once for each language that is spoken, while it is kept. */
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

/**
 * 0 when the tool is not meant; else the more, the better it fits. A question that brings a value for a parameter needs to
 * name the tool in part; one that brings none, in full.
 */
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

/** `orderStatus` and `order_status` in words. */
function spellOut(name: string): string {
  return name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replace(/[_-]+/g, ' ');
}

/** How a missing parameter is asked for: by its description, or its name where it has none. */
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
