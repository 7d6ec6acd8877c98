import type { ToolSpec } from '../assistant-provider.ts';
import { likenessOf } from './likeness.ts';
import { type Filling, fillParameters, type Parameter, readValue } from './parameter-values.ts';
import { allPhrases, filled } from './phrases.ts';
import { isAsking } from './question-words.ts';
import type { Language, Stemming } from './stemming.ts';
import { folded, wordsOf } from './words.ts';

/** A tool that the question names, with what it says of the parameters. */
export interface ChosenTool extends Filling {
  tool: ToolSpec;
}

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

/** The tool that the question names; `null` when it names none clearly. */
export async function chooseTool(
  stemming: Stemming,
  languages: readonly Language[],
  tools: readonly ToolSpec[],
  question: string,
): Promise<ChosenTool | null> {
  const language = languages[0] ?? 'english';
  let best: { chosen: ChosenTool; score: number } | null = null;
  for (const tool of tools) {
    const filling = fillParameters(tool.parameters, question);
    const asked = await subjectWords(stemming, language, withoutValues(question, filling));
    const name = await subjectWords(stemming, language, spelledOut(tool.name));
    const about = await subjectWords(
      stemming,
      language,
      [tool.description, ...tool.parameters.map((each) => spelledOut(each.name))].join(' '),
    );
    const score = fitness(asked, name, [...name, ...about]);
    if (score > (best?.score ?? 0)) best = { chosen: { tool, ...filling }, score };
  }
  return best?.chosen ?? null;
}

/** 0 when the tool is not meant; else the more, the better it fits. */
function fitness(asked: readonly string[], name: readonly string[], about: readonly string[]): number {
  if (asked.length === 0) return 0;
  const share = shareMet(asked, about);
  const named = shareMet(name, asked);
  const met = share * asked.length;
  if (named >= 0.5 && share >= LEAST_SHARE && (met >= 1.5 || share === 1)) return 1 + share + named;
  if (share >= LEAST_SHARE_BY_DESCRIPTION && met >= 1.5) return share;
  return 0;
}

function shareMet(words: readonly string[], others: readonly string[]): number {
  if (words.length === 0) return 0;
  const met = words.filter((word) => others.some((other) => likenessOf(word, other) >= 0.8));
  return met.length / words.length;
}

async function subjectWords(stemming: Stemming, language: Language, text: string): Promise<string[]> {
  const forms = wordsOf(text).flatMap(({ form, numeric }) => (numeric ? [] : [form]));
  const stems = await stemming.stems(language, forms);
  const subject = forms.filter((form) => !isAsking(language, form) && !DESCRIBING.has(form));
  return [...new Set(subject.flatMap((form) => stems.get(form) ?? []))];
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

/** Goes on with the tool whose parameter the assistant has just asked for. `null` when the reply is no value for it. */
export function continueTool(
  tools: readonly ToolSpec[],
  answered: string,
  reply: string,
  earlier: readonly string[],
): ChosenTool | null {
  for (const tool of tools) {
    const asked = tool.parameters.find((parameter) =>
      allPhrases().some(({ askFor }) => folded(parameterQuestion(askFor, parameter)) === folded(answered)),
    );
    if (asked === undefined) continue;
    const value = readValue(asked, reply);
    if (value === null) return null;
    const others = tool.parameters.filter((parameter) => parameter !== asked);
    const { values, missing } = fillParameters(others, earlier.slice(0, tool.parameters.length).join('\n'));
    return { tool, values: { ...values, [asked.name]: value }, missing };
  }
  return null;
}
