import { randomUUID } from 'node:crypto';
import type { AnswerSource, AssistantStep, AssistantTurn, TokenUsage } from '../assistant-provider.ts';
import { type ContactQuestion, readContactQuestion } from './conversation.ts';
import { type Db, findSearchableDocuments, type SearchableDocument } from './embedded.queries.ts';
import { answerFromPassages } from './passage-answer.ts';
import { type Phrases, selectPhrases } from './phrases.ts';
import type { Linguistics } from './query.ts';
import type { PairIndex, PairMatch } from './question-pairs.ts';
import type { LoadedRevision } from './revision-cache.ts';
import { findSmallTalkReply } from './small-talk.ts';
import type { Stemming } from './stemming.ts';
import { truncateMiddle } from './text-limits.ts';
import type { YieldControl } from './time-slices.ts';
import { type ChosenTool, parameterQuestion } from './tool-index.ts';
import { createReplyFromResult } from './tool-result.ts';
import { splitWords } from './words.ts';

const NO_TOKENS: TokenUsage = { inputTokens: 0, outputTokens: 0 };
/** A pair with this score takes precedence over an action. */
const CERTAIN_SCORE = 0.85;

interface Context extends Linguistics {
  db: Db;
  installationId: string;
  yieldControl: YieldControl;
}

/** Answers the last message from a tool result, a pair, an action or the documents, in this order. */
export async function answerTurn(
  context: Context,
  revision: LoadedRevision,
  turn: AssistantTurn,
): Promise<AssistantStep> {
  const documents = await findSearchableDocuments(
    context.db,
    context.installationId,
    revision.teamId,
    revision.spec.knowledge.documentRefs.filter((ref) => !turn.withdrawnDocumentRefs.includes(ref)),
  );
  await context.yieldControl();
  const languages = await selectLanguages(context.stemming, turn, documents);
  const phrases = selectPhrases(languages);
  const last = turn.messages.at(-1);
  if (last?.role === 'tool_result') {
    return last.result.startsWith('error:')
      ? notAnswered(phrases.failed)
      : answer(createReplyFromResult(last.result, phrases), []);
  }
  const asked = readContactQuestion(turn.messages);
  if (asked === null || asked.text.trim() === '') return notAnswered(phrases.unknown);
  const { spec, pairs, tools } = revision;
  const matches = await findAskedPairs(pairs, asked, context.yieldControl);
  const known = matches.length > 0;
  if (known && matches.every(({ score }) => score >= CERTAIN_SCORE)) return answerFromPairs(matches);
  const tool =
    (asked.previousReply === null
      ? null
      : await tools.resume(asked.previousReply, asked, context.yieldControl)) ??
    (await tools.choose(languages, asked.text, context.yieldControl));
  if (tool !== null) return callOrAsk(tool, phrases);
  if (known) return answerFromPairs(matches);
  const talk = findSmallTalkReply(asked.text, spec.identificationName);
  if (talk !== null) return answer(talk, []);
  const found = await searchDocuments(context, documents, asked, phrases);
  return found === null ? notAnswered(phrases.unknown) : answer(found.text, found.sources);
}

/**
 * Returns the pairs that the messages ask for, in order and without duplicates. If at most one message matches, the joined
 * text is tried first, because a question may span several messages.
 */
async function findAskedPairs(
  pairs: PairIndex,
  asked: ContactQuestion,
  yieldControl: YieldControl,
): Promise<PairMatch[]> {
  const found = new Map<string, PairMatch>();
  for (const message of asked.messages) {
    const match = await pairs.findBest(message, yieldControl);
    if (match !== null && !found.has(match.question)) found.set(match.question, match);
  }
  const joined =
    asked.messages.length > 1 && found.size <= 1 ? await pairs.findBest(asked.text, yieldControl) : null;
  return joined === null ? [...found.values()] : [joined];
}

async function selectLanguages(
  stemming: Stemming,
  turn: AssistantTurn,
  documents: readonly SearchableDocument[],
) {
  const spoken = turn.messages.findLast((message) => message.role === 'contact');
  const text = spoken?.role === 'contact' ? truncateMiddle(spoken.text) : '';
  const possible = await stemming.detectLanguages(splitWords(text).map(({ form }) => form));
  const written = documents.map(({ language }) => language);
  return [...possible.filter((language) => written.includes(language)), ...possible, ...written];
}

/** A message of at most this many words may refer to the previous one. */
const MAX_ELLIPTIC_WORDS = 6;

async function searchDocuments(
  context: Context,
  documents: readonly SearchableDocument[],
  { text, earlier }: ContactQuestion,
  phrases: Phrases,
) {
  const found = await answerFromPassages({ ...context, phrases }, documents, text);
  const [before] = earlier;
  if (found !== null || before === undefined || splitWords(text).length > MAX_ELLIPTIC_WORDS) return found;
  return answerFromPassages({ ...context, phrases }, documents, `${before}\n${text}`);
}

function callOrAsk({ tool, values, missing }: ChosenTool, phrases: Phrases): AssistantStep {
  const [open] = missing;
  if (open !== undefined) return answer(parameterQuestion(phrases.askFor, open), []);
  return { kind: 'tool_call', callId: randomUUID(), tool: tool.name, arguments: values, usage: NO_TOKENS };
}

function answerFromPairs(matches: readonly PairMatch[]): AssistantStep {
  return answer(
    matches.map((pair) => pair.answer).join('\n\n'),
    matches.map(({ question, score }) => ({ kind: 'question', question, score })),
  );
}

function answer(text: string, sources: readonly AnswerSource[]): AssistantStep {
  return { kind: 'answer', text, answered: true, sources, usage: NO_TOKENS };
}

function notAnswered(text: string): AssistantStep {
  return { kind: 'answer', text, answered: false, sources: [], usage: NO_TOKENS };
}
