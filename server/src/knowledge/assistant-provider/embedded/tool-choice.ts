import type { Language } from '../../search/languages.ts';
import { isQuestionWord } from '../../search/question-words.ts';
import { stemSimilarity } from '../../search/stem-similarity.ts';
import type { Stemming } from '../../search/stemming.ts';
import { truncateMiddle } from '../../search/text-limits.ts';
import type { YieldControl } from '../../search/time-slices.ts';
import { foldDiacritics, spellOut, splitWords } from '../../search/words.ts';
import type { ToolSpec } from '../assistant-provider.ts';
import type { ContactQuestion } from './conversation.ts';
import genericWordList from './generic-words.json' with { type: 'json' };
import { type FilledParameters, fillParameters, type Parameter, readValue } from './parameter-values.ts';
import { fillPhrase, listPhrases } from './phrases.ts';

export interface ChosenTool extends FilledParameters {
  tool: ToolSpec;
}

const minSimilarity = 0.8;

/** Words in tool descriptions that say nothing about the tool's subject. */
const genericWords = new Set(genericWordList);

/** Share of the question's words that must match: if the tool's name matches, and if only its description does. */
const minShare = 0.5;
const minShareByDescription = 0.66;
/** A single matching word is not enough. */
const minWords = 2;

/** Returns the tool that the question names clearly, else `null`. */
export async function chooseTool(
  { stemming, tools, language }: { stemming: Stemming; tools: readonly ToolSpec[]; language: Language },
  question: string,
  yieldControl: YieldControl,
): Promise<ChosenTool | null> {
  const subjectsOf = (text: string) => extractSubjects(stemming, language, text);
  let best: ChosenTool | null = null;
  let bestScore = 0;
  for (const tool of tools) {
    const { rest, ...filling } = await fillParameters(tool.parameters, question, yieldControl);
    const asked = await subjectsOf(rest);
    const name = await subjectsOf(spellOut(tool.name));
    const parameters = tool.parameters.map((parameter) => spellOut(parameter.name));
    const about = [...name, ...(await subjectsOf([tool.description, ...parameters].join(' ')))];
    await yieldControl();
    const isFilled = Object.keys(filling.values).length > 0;
    const score = scoreTool(asked, name, about, isFilled);
    if (score > bestScore) [best, bestScore] = [{ tool, ...filling }, score];
  }
  return best;
}

/** Returns 0 without a match. A question without a parameter value must name the tool in full. */
function scoreTool(
  asked: readonly string[],
  name: readonly string[],
  about: readonly string[],
  isFilled: boolean,
): number {
  const share = matchedShare(asked, about);
  const named = matchedShare(name, asked);
  const isEnough = share === 1 || share * asked.length >= minWords;
  if (named >= (isFilled ? 0.5 : 1) && share >= minShare && isEnough) return 1 + share + named;
  if (isFilled && share >= minShareByDescription && share * asked.length >= minWords) return share;
  return 0;
}

function matchedShare(words: readonly string[], others: readonly string[]): number {
  if (words.length === 0) return 0;
  const met = words.filter((stem) => others.some((other) => stemSimilarity(stem, other) >= minSimilarity));
  return met.length / words.length;
}

/** Returns the distinct stems of the words that may name a subject. */
async function extractSubjects(stemming: Stemming, language: Language, text: string): Promise<string[]> {
  const forms = splitWords(text).flatMap(({ form, numeric }) => (numeric ? [] : [form]));
  const stems = await stemming.stems(language, forms);
  const subject = forms.filter((form) => !isQuestionWord(language, form) && !genericWords.has(form));
  return [...new Set(subject.flatMap((form) => stems.get(form) ?? []))];
}

export function parameterQuestion(phrase: string, { name, description }: Parameter): string {
  return fillPhrase(phrase, description.trim() === '' ? spellOut(name) : description.trim());
}

/**
 * Continues with the tool whose parameter the previous reply asked for. Returns `null` if it asked for none, or if the contact's
 * reply is not a value for it.
 */
export async function resumeTool(
  tools: readonly ToolSpec[],
  { text, earlier, previousReply }: ContactQuestion,
  yieldControl: YieldControl,
): Promise<ChosenTool | null> {
  if (previousReply === null) return null;
  const said = foldDiacritics(previousReply);
  const isAskedFor = (parameter: Parameter) =>
    listPhrases().some(({ askFor }) => foldDiacritics(parameterQuestion(askFor, parameter)) === said);
  for (const tool of tools) {
    await yieldControl();
    const asked = tool.parameters.find(isAskedFor);
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
