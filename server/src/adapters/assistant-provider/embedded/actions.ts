import type { ToolSpec } from '../assistant-provider.ts';
import type { Asked } from './conversation.ts';
import type { Language } from './languages.ts';
import { likenessOf } from './likeness.ts';
import { type Filling, fillParameters, type Parameter, readValue } from './parameter-values.ts';
import { allPhrases, beforeBlank, filled } from './phrases.ts';
import type { Linguistics } from './query.ts';
import { isAsking } from './question-words.ts';
import { firstAndLast, readOf } from './reading-limits.ts';
import type { GiveWay } from './time-slices.ts';
import { folded, wordsOf } from './words.ts';

/** A tool that the question names, with what it says of the parameters. */
export interface ChosenTool extends Filling {
  tool: ToolSpec;
}

/** A word of a question or of a tool's description. */
interface Subject {
  stem: string;
  related: ReadonlyMap<string, number>;
}

/** Below it, words are not taken for the same. */
const LEAST_LIKENESS = 0.8;

/** Words of describing a tool, not of what it is about. */
const DESCRIBING = new Set(
  (
    'get gets fetch fetches return returns retrieve retrieves look looks lookup up find finds query queries call calls use used api ' +
    'tool function endpoint action request user users customer customers client contact asks given current ' +
    'obtiene devuelve consulta usuario cliente llama herramienta acción liefert holt gibt kunde kunden nutzer ruft abfrage'
  ).split(' '),
);

/** Share of the question's words that a tool must cover, when its name is recognised and when only its description is. */
const LEAST_SHARE = 0.5;
const LEAST_SHARE_BY_DESCRIPTION = 0.66;
/** Words: one alone may be said of anything. */
const LEAST_WORDS = 2;

/** Words of a question, of the first and of the last each, and of what is said of a tool, that are compared. */
const COMPARED_AT_EACH_END = 64;
const COMPARED_OF_TOOL = 500;
/** Nobody can be asked for more values, one after another: a tool that needs more is not called. */
const MOST_PARAMETERS = 100;

/** A revision's tools. */
export interface ToolIndex {
  /** The tool that the question names; `null` when it names none clearly. */
  choose(languages: readonly Language[], question: string, giveWay: GiveWay): Promise<ChosenTool | null>;
  /**
   * Goes on with the tool whose parameter the assistant has just asked for with `answered`. `null` when the reply is no
   * value for it.
   */
  goOn(
    answered: string,
    reply: Pick<Asked, 'text' | 'earlier'>,
    giveWay: GiveWay,
  ): Promise<ChosenTool | null>;
}

/** What a tool is recognised by, in one language. */
interface DescribedTool {
  tool: ToolSpec;
  name: readonly Subject[];
  about: readonly Subject[];
}

/** Of what is said of the tools; the contacts choose the language. */
const LANGUAGES_KEPT = 2;

/** Makes the index; what is said of the tools is read once for each language that is spoken, while it is kept. */
export function createToolIndex(linguistics: Linguistics, tools: readonly ToolSpec[]): ToolIndex {
  const callable = tools.filter(({ parameters }) => parameters.length <= MOST_PARAMETERS);
  const described = new Map<Language, readonly DescribedTool[]>();
  const describedIn = async (language: Language, giveWay: GiveWay): Promise<readonly DescribedTool[]> => {
    const known = described.get(language);
    if (known !== undefined) return known;
    const read: DescribedTool[] = [];
    for (const tool of callable) {
      await giveWay();
      read.push(await describedTool(linguistics, language, tool));
    }
    described.set(language, read);
    for (const earliest of described.keys()) {
      if (described.size <= LANGUAGES_KEPT) break;
      described.delete(earliest);
    }
    return read;
  };
  return {
    async choose(languages, question, giveWay) {
      const language = languages[0] ?? 'english';
      let best: { chosen: ChosenTool; score: number } | null = null;
      for (const { tool, name, about } of await describedIn(language, giveWay)) {
        const filling = await fillParameters(tool.parameters, question, giveWay);
        const words = await subjectsOf(linguistics, language, withoutValues(question, filling));
        const asked = firstAndLast(words, COMPARED_AT_EACH_END);
        await giveWay();
        const score = fitness(asked, name, about, Object.keys(filling.values).length > 0);
        if (score > (best?.score ?? 0)) best = { chosen: { tool, ...filling }, score };
      }
      return best?.chosen ?? null;
    },
    goOn: (answered, reply, giveWay) => goOnWith(callable, answered, reply, giveWay),
  };
}

async function describedTool(
  linguistics: Linguistics,
  language: Language,
  tool: ToolSpec,
): Promise<DescribedTool> {
  const name = await subjectsOf(linguistics, language, spelledOut(tool.name));
  const about = await subjectsOf(
    linguistics,
    language,
    [tool.description, ...tool.parameters.map((each) => spelledOut(each.name))].join(' '),
  );
  return { tool, name, about: [...name, ...about].slice(0, COMPARED_OF_TOOL) };
}

/**
 * 0 when the tool is not meant; else the more, the better it fits. A question that brings a value for a parameter needs to
 * name the tool in part; one that brings none, in full.
 */
function fitness(
  asked: readonly Subject[],
  name: readonly Subject[],
  about: readonly Subject[],
  isFilled: boolean,
): number {
  const share = shareMet(asked, about);
  const named = shareMet(name, asked);
  const isEnough = share === 1 || share * asked.length >= LEAST_WORDS;
  if (named >= (isFilled ? 0.5 : 1) && share >= LEAST_SHARE && isEnough) return 1 + share + named;
  if (isFilled && share >= LEAST_SHARE_BY_DESCRIPTION && share * asked.length >= LEAST_WORDS) return share;
  return 0;
}

function shareMet(words: readonly Subject[], others: readonly Subject[]): number {
  if (words.length === 0) return 0;
  const met = words.filter(({ stem, related }) =>
    others.some((other) => related.has(other.stem) || likenessOf(stem, other.stem) >= LEAST_LIKENESS),
  );
  return met.length / words.length;
}

async function subjectsOf(
  { stemming, lexicons }: Linguistics,
  language: Language,
  text: string,
): Promise<Subject[]> {
  const forms = wordsOf(text).flatMap(({ form, numeric }) => (numeric ? [] : [form]));
  const stems = await stemming.stems(language, forms);
  const lexicon = await lexicons(language);
  const subject = forms.filter((form) => !isAsking(language, form) && !DESCRIBING.has(form));
  const distinct = new Set(subject.flatMap((form) => stems.get(form) ?? []));
  return [...distinct].map((stem) => ({ stem, related: lexicon.related(stem) }));
}

function withoutValues(question: string, { values }: Filling): string {
  return Object.values(values).reduce<string>(
    (text, value) => (typeof value === 'string' ? text.replace(value, ' ') : text),
    question,
  );
}

/** `orderStatus` and `order_status` in words. */
function spelledOut(name: string): string {
  return name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replace(/[_-]+/g, ' ');
}

/** How a missing parameter is asked for: by its description, or its name where it has none. */
export function parameterQuestion(phrase: string, { name, description }: Parameter): string {
  return filled(phrase, description.trim() === '' ? spelledOut(name) : description.trim());
}

async function goOnWith(
  tools: readonly ToolSpec[],
  answered: string,
  { text, earlier }: Pick<Asked, 'text' | 'earlier'>,
  giveWay: GiveWay,
): Promise<ChosenTool | null> {
  const said = folded(answered);
  const phrases = allPhrases().filter(({ askFor }) => said.startsWith(folded(beforeBlank(askFor))));
  if (phrases.length === 0) return null;
  for (const tool of tools) {
    await giveWay();
    const asked = tool.parameters.find((parameter) =>
      phrases.some(({ askFor }) => folded(parameterQuestion(askFor, parameter)) === said),
    );
    if (asked === undefined) continue;
    const value = readValue(asked, text);
    if (value === null) return null;
    const others = tool.parameters.filter((parameter) => parameter !== asked);
    const before = readOf(earlier.slice(0, tool.parameters.length).join('\n'));
    const { values, missing } = await fillParameters(others, before, giveWay);
    return { tool, values: { ...values, [asked.name]: value }, missing };
  }
  return null;
}
