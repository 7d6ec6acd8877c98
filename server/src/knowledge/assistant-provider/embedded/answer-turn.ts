import { randomUUID } from 'node:crypto';
import { isAboutOtherDates } from '../../search/calendar.ts';
import type { Knowledge, SearchableVersion } from '../../search/knowledge.ts';
import type { Language } from '../../search/languages.ts';
import { leastPairScore, type Pair, type PairMatch } from '../../search/pairs.ts';
import type { PassageMatches } from '../../search/passage-ranking.ts';
import type { YieldControl } from '../../search/time-slices.ts';
import { spellOut, splitForms } from '../../search/words.ts';
import {
  type AnswerSource,
  type AssistantStep,
  type AssistantTurn,
  emptyResult,
  type ToolResult,
  unknownOutcome,
} from '../assistant-provider.ts';
import type { SearchableRevision } from '../local/revision-cache.ts';
import { type ContactQuestion, readContactQuestion } from './conversation.ts';
import { findFollowUp } from './follow-up.ts';
import { countMetWords } from './met-words.ts';
import { offerQuestions, readChoice } from './offered-questions.ts';
import { answerFromPassages, shorten } from './passage-answer.ts';
import { fillPhrase, type Phrases, selectPhrases, toCodes } from './phrases.ts';
import { findSmallTalk, type Talk } from './small-talk.ts';
import { type ChosenTool, chooseTool, parameterQuestion, resumeTool } from './tool-choice.ts';

const origin = { usage: [], state: null, fallback: null };
/** A pair with this score takes precedence over an action. */
const certainScore = 0.95;
/** A pair with this score has something in common with the message, so the contact may mean it. */
const nearPairScore = 0.1;
const maxTopics = 3;
const followUpPairs = 8;
const longestTopic = 120;
const longestReplayWaitMs = 60_000;

/** Answers the last message from a tool result, a pair, an action, small talk or the documents, in this order. */
export async function answerTurn(
  knowledge: Knowledge,
  revision: SearchableRevision,
  turn: AssistantTurn,
  yieldControl: YieldControl,
): Promise<AssistantStep> {
  const { spec, documents } = revision;
  const { stemming } = knowledge;
  const written = readContactQuestion(turn.messages);
  const languages = await selectLanguages(knowledge, written, revision);
  const asked =
    written && (await correctWords(resolveChoice(written, revision.pairs.pairs), knowledge, revision));
  const [language = 'english'] = languages;
  const phrases = selectTurnPhrases(turn, languages);
  const last = turn.messages.at(-1);
  if (last?.role === 'tool_results') return answerFromResults(last.results, phrases);
  if (asked === null) return notAnswered(phrases.unknown);
  const waiting = turn.context.isReplay ? { waitMs: longestReplayWaitMs } : {};
  const findPairs = (text: string) => revision.pairs.find(text, yieldControl, waiting);
  const pairs = await findPairs(asked.text);
  const matches = await findAskedPairs(asked, pairs, findPairs);
  const known = matches.length > 0;
  if (known && matches.every(({ score }) => score === 1)) return answerFromPairs(matches);
  const findPassages = (text: string) => knowledge.searchPassages(documents, text, yieldControl);
  const quote = async (found: PassageMatches | null) => answerFromPassages(found, phrases, yieldControl);
  const followUp = await findFollowUp(
    asked,
    { stemming, language },
    {
      pairs: (text) => revision.pairs.find(text, yieldControl, { ...waiting, limit: followUpPairs }),
      passages: findPassages,
      quote,
    },
  );
  if (followUp !== null)
    return 'question' in followUp ? answerFromPairs([followUp]) : answer(followUp.text, followUp.sources);
  const isDoubtful = isAboutOtherDates(asked.text, writeOut(matches));
  if (known && !isDoubtful && matches.every(({ score }) => score >= certainScore))
    return answerFromPairs(matches);
  const tool =
    (await resumeTool(spec.tools, asked, yieldControl)) ??
    (await chooseTool({ stemming, tools: spec.tools, language }, asked.text, yieldControl));
  if (tool !== null) return callOrAsk(tool, phrases);
  if (known) {
    const better = documents.length === 0 ? null : await quote(await findPassages(asked.text));
    const meets = (text: string) => countMetWords(stemming, language, asked.text, text);
    if (better !== null && (await meets(better.text)) > (await meets(writeOut(matches))))
      return answer(better.text, better.sources);
    if (!isDoubtful) return answerFromPairs(matches);
  }
  const talk = findSmallTalk(asked.text);
  const topics = (passages: PassageMatches | null) => listTopics(knowledge, pairs, passages, documents);
  if (talk !== null) {
    const said = talk.code === null ? phrases : selectPhrases([talk.code]);
    return answer(replyToSmallTalk(talk.talk, said, spec.identificationName, await topics(null)));
  }
  const passages = await findPassages(asked.text);
  const { withPrevious } = asked;
  const quoted =
    (await quote(passages)) ?? (withPrevious === null ? null : await quote(await findPassages(withPrevious)));
  if (quoted !== null) return answer(quoted.text, quoted.sources);
  const offered = await topics(passages);
  const isNear = pairs.some(({ score }) => score >= nearPairScore);
  const unknown = isNear ? phrases.didYouMean : declineWith(phrases, spec.purpose, offered);
  return notAnswered(offerQuestions(unknown, offered));
}

const writeOut = (matches: readonly PairMatch[]): string =>
  matches.map((pair) => `${pair.question}\n${pair.answer}`).join('\n');

/** A reply to offered questions stands for the chosen one. */
function resolveChoice(asked: ContactQuestion, pairs: readonly Pair[]): ContactQuestion {
  const chosen = readChoice(asked.text, asked.previousReply);
  if (chosen === null) return asked;
  const text = pairs.find(({ question }) => toTopic(question) === chosen)?.question ?? chosen;
  return { ...asked, text, messages: [text], withPrevious: null, previousReply: null };
}

/** Writes the question with words that the bot knows. */
async function correctWords(
  asked: ContactQuestion,
  knowledge: Knowledge,
  revision: SearchableRevision,
): Promise<ContactQuestion> {
  const correct = (text: string) => knowledge.useKnownWords(revision, text);
  return {
    ...asked,
    text: await correct(asked.text),
    messages: await Promise.all(asked.messages.map(correct)),
    withPrevious: asked.withPrevious === null ? null : await correct(asked.withPrevious),
  };
}

/** Declines politely, in the language of the contact. */
export async function declineTurn(
  knowledge: Knowledge,
  revision: SearchableRevision,
  turn: AssistantTurn,
): Promise<AssistantStep> {
  const languages = await selectLanguages(knowledge, readContactQuestion(turn.messages), revision);
  return notAnswered(selectTurnPhrases(turn, languages).unknown);
}

/** The contact's own language comes before those of the knowledge, and the team's comes last. */
const selectTurnPhrases = (
  { context: { language, locale } }: Pick<AssistantTurn, 'context'>,
  languages: readonly Language[],
): Phrases => selectPhrases([...(language === null ? [] : [language]), ...toCodes(languages), locale]);

/**
 * Returns the pairs that the messages ask for, in order and without duplicates. If at most one message matches, the joined
 * text is preferred, because a question may span several messages.
 */
async function findAskedPairs(
  { messages }: ContactQuestion,
  joined: readonly PairMatch[],
  search: (text: string) => Promise<readonly PairMatch[]>,
): Promise<PairMatch[]> {
  const likely = ([best]: readonly PairMatch[]) =>
    best !== undefined && best.score >= leastPairScore ? [best] : [];
  if (messages.length === 1) return likely(joined);
  const found = [];
  for (const message of messages) found.push(...likely(await search(message)));
  const distinct = [...new Map(found.map((match) => [match.answer, match])).values()];
  const whole = likely(joined);
  return distinct.length <= 1 && whole.length > 0 ? whole : distinct;
}

/** A few words say little about the language, so the languages of the knowledge come first then. */
const fewWords = 3;

async function selectLanguages(
  { stemming }: Knowledge,
  asked: ContactQuestion | null,
  { pairs, documents }: SearchableVersion,
) {
  const forms = splitForms(asked?.text ?? '');
  const possible = await stemming.detectLanguages(forms);
  const written = [...documents.map(({ language }) => language), ...pairs.languages];
  const likely = possible.filter((language) => written.includes(language));
  return forms.length <= fewWords
    ? [...likely, ...written, ...possible]
    : [...likely, ...possible, ...written];
}

/**
 * Returns near questions, headings of near passages, other questions and other headings, in this order. Only headings that are
 * questions, because a contact can send one.
 */
async function listTopics(
  knowledge: Knowledge,
  pairs: readonly PairMatch[],
  passages: PassageMatches | null,
  documents: SearchableVersion['documents'],
): Promise<string[]> {
  const isNear = ({ score }: PairMatch): boolean => score >= nearPairScore;
  const refs = documents.map(({ ref }) => ref);
  const topics = [
    ...pairs.filter(isNear).map(({ question }) => question),
    ...(passages?.ranking.flatMap(({ candidate }) => candidate.heading ?? []) ?? []).filter(isQuestion),
    ...pairs.map(({ question }) => question),
    ...(await knowledge.findQuestions(refs, maxTopics)),
  ];
  return [...new Set(topics.map(toTopic))].slice(0, maxTopics);
}

const toTopic = (question: string): string => shorten(question.replace(/\s+/g, ' '), longestTopic);

const isQuestion = (heading: string): boolean => /[?？؟]\s*$/.test(heading);

const declineWith = (
  { unknown, purpose: helpsWith, topics }: Phrases,
  purpose: string | undefined,
  offered: readonly string[],
): string =>
  [
    unknown,
    ...(purpose ? [fillPhrase(helpsWith, purpose)] : []),
    ...(offered.length === 0 ? [] : [topics]),
  ].join(' ');

function replyToSmallTalk(talk: Talk, phrases: Phrases, name: string, topics: readonly string[]): string {
  const introduction = fillPhrase(phrases.introduction, name);
  if (talk === 'help')
    return topics.length === 0 ? introduction : offerQuestions(`${introduction} ${phrases.topics}`, topics);
  return talk === 'introduction' ? introduction : phrases[talk];
}

function callOrAsk({ tool, values, missing }: ChosenTool, phrases: Phrases): AssistantStep {
  const [open] = missing;
  if (open !== undefined) return answer(parameterQuestion(phrases.askFor, open));
  const call = { callId: randomUUID(), tool: tool.name, arguments: JSON.stringify(values) };
  return { kind: 'tool_calls', text: '', calls: [call], ...origin };
}

/** Several results are those of a model that failed after its calls. */
function answerFromResults(given: readonly ToolResult[], phrases: Phrases): AssistantStep {
  const results = given.map(({ result }) => result);
  if (results.some((result) => result.startsWith(unknownOutcome))) return notAnswered(phrases.unconfirmed);
  if (results.some((result) => result.startsWith('error:'))) return notAnswered(phrases.failed);
  return answer(results.map((result) => createReplyFromResult(result, phrases)).join('\n\n'));
}

export function answerFromPairs(matches: readonly PairMatch[]): AssistantStep {
  return answer(
    matches.map((pair) => pair.answer).join('\n\n'),
    matches.map(({ question, score }) => ({ kind: 'question', question, score })),
  );
}

function answer(text: string, sources: readonly AnswerSource[] = [], answered = true): AssistantStep {
  return { kind: 'answer', text, answered, sources, handsOver: false, ...origin };
}

const notAnswered = (text: string): AssistantStep => answer(text, [], false);

const longestReply = 600;
const textMembers = ['answer', 'message', 'text', 'reply', 'mensaje', 'respuesta', 'nachricht', 'antwort'];
const maxDepth = 32;
const wrappers = ['data', 'result', 'response'];

/** Turns a tool result into a reply: its text, or its fields line by line. */
function createReplyFromResult(result: string, phrases: Phrases): string {
  const text = result === emptyResult ? '' : describe(unwrap(parse(result)), '\n').trim();
  return text === '' ? phrases.done : shorten(text, longestReply);
}

/** Returns plain text as it is. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function unwrap(value: unknown): unknown {
  const inner = isRecord(value) ? wrappers.map((wrapper) => value[wrapper]) : [];
  return inner.find((each) => typeof each === 'object' && each !== null) ?? value;
}

function describe(value: unknown, separator: string, depth = 0): string {
  if (depth > maxDepth || value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map((item) => describe(item, ', ', depth + 1)).join('\n');
  if (!isRecord(value)) return String(value);
  const texts = depth === 0 ? textMembers.map((name) => value[name]) : [];
  const text = texts.find((each) => typeof each === 'string' && each.trim() !== '');
  if (typeof text === 'string') return text;
  return Object.entries(value)
    .map(([name, member]) => [label(name), describe(member, ', ', depth + 1)])
    .flatMap(([name, each]) => (each === '' ? [] : [`${name}: ${each}`]))
    .join(separator);
}

/** `deliveryDate` and `delivery_date` → `Delivery date`. */
function label(name: string): string {
  const words = spellOut(name).toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
