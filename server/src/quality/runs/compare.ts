import type { Exchange } from '../../chat/answering/exchanges.sql.ts';
import type { LoadedBot } from '../../knowledge/bots/bot-loader.ts';
import { normalizeQuestion } from '../../knowledge/search/question-features.ts';
import type { Check } from '../cases/cases.schemas.ts';
import { runCheck } from '../cases/checks.ts';
import { describeVerdict, type Verdict } from './judge.ts';
import type { Replayed } from './replay.ts';
import type { Outcome, RunAnswer } from './runs.schemas.ts';

interface Comparison {
  outcome: Outcome;
  changed: boolean;
  worse: boolean;
  old: RunAnswer | null;
  new: RunAnswer;
  reasons: string[];
}

/** Decides a case: its checks, or without checks that the bot knows an answer. `before` is the reply of the baseline. */
export function judgeCase(
  checks: readonly Check[],
  now: Replayed,
  before: Replayed | null,
  verdicts: readonly Verdict[],
  bot: Pick<LoadedBot, 'documents'>,
): Comparison {
  const doubts = [...unrecorded(now), ...verdicts.flatMap((verdict) => describeVerdict(verdict) ?? [])];
  const faults = findFaults(checks, now);
  const worse = before !== null && faults.length > 0 && findFaults(checks, before).length === 0;
  const [answer, old] = [present(now, bot), before && present(before, bot)];
  const changes = old === null ? [] : findChanges(old, answer, isWritten(now));
  return {
    outcome: faults.length > 0 ? 'failed' : doubts.length > 0 ? 'warned' : 'passed',
    changed: changes.length > 0,
    worse,
    old,
    new: answer,
    reasons: [...faults, ...doubts, ...changes],
  };
}

/** Compares a new reply with the one that the contact got. It fails if the bot no longer knows an answer. */
export function compareExchange(
  { reply, answered, trace }: Exchange,
  now: Replayed,
  bot: Pick<LoadedBot, 'documents'>,
): Comparison {
  const answer = present(now, bot);
  const old = {
    text: reply ?? '',
    answered: answered === true,
    source: trace?.pair?.question ?? trace?.passages[0]?.document ?? trace?.actions[0]?.name ?? null,
  };
  const worse = old.answered && !answer.answered;
  const changes = findChanges(old, answer, isWritten(now));
  return {
    outcome: worse ? 'failed' : unrecorded(now).length > 0 ? 'warned' : 'passed',
    changed: changes.length > 0,
    worse,
    old,
    new: answer,
    reasons: [...(worse ? ['the bot knew an answer before'] : []), ...unrecorded(now), ...changes],
  };
}

function findFaults(checks: readonly Check[], reply: Replayed): string[] {
  if (checks.length === 0) return reply.answered ? [] : ['the bot does not know the answer'];
  return checks.flatMap((check) => runCheck(check, reply).because ?? []);
}

const unrecorded = ({ calls }: Replayed): string[] =>
  calls
    .filter(({ recorded }) => !recorded)
    .map((call) => `it calls ${call.name} with ${JSON.stringify(call.arguments)}, which is not recorded`);

/** A model writes other words each time, so only what the answer is from shows a change. */
const isWritten = ({ usage }: Replayed): boolean => usage.length > 0;

function findChanges(old: RunAnswer, answer: RunAnswer, written: boolean): string[] {
  if (old.answered !== answer.answered)
    return [answer.answered ? 'it is answered now' : 'it was answered before'];
  if (old.source !== answer.source)
    return [`the answer is from ${quote(answer.source)} instead of ${quote(old.source)}`];
  if (written || normalizeQuestion(old.text) === normalizeQuestion(answer.text)) return [];
  return ['the text of the answer is another'];
}

const quote = (source: string | null): string => (source === null ? 'nothing' : `“${source}”`);

const present = (reply: Replayed, { documents }: Pick<LoadedBot, 'documents'>): RunAnswer => ({
  text: reply.text,
  answered: reply.answered,
  source: reply.pairs[0] ?? nameOf(reply, documents) ?? reply.calls[0]?.name ?? null,
});

function nameOf({ documentIds: [first] }: Replayed, documents: LoadedBot['documents']): string | undefined {
  return [...documents.values()].find(({ id }) => id === first)?.name;
}
