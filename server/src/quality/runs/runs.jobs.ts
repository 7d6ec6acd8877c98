import { type BotTeam, selectBotTeam } from '../../chat/answering/bot-team.sql.ts';
import { type Exchange, selectRecentExchanges } from '../../chat/answering/exchanges.sql.ts';
import type { AssistantProvider } from '../../knowledge/assistant-provider/assistant-provider.ts';
import type { BotLoader, LoadedBot } from '../../knowledge/bots/bot-loader.ts';
import { selectDraftRevision } from '../../knowledge/bots/bots.sql.ts';
import type { Database } from '../../platform/database/database.ts';
import { ApiError } from '../../platform/http/errors.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { toMonth } from '../../platform/shared/clock.ts';
import { newId } from '../../platform/shared/ids.ts';
import { forEachConcurrently } from '../../platform/shared/semaphore.ts';
import { currentRequest } from '../../platform/telemetry/current-request.ts';
import type { RecordSpan } from '../../platform/telemetry/spans.ts';
import type { StepUsage } from '../../ports/provider-error.ts';
import { ProviderError } from '../../ports/provider-error.ts';
import { recordEvent } from '../../records/events/events.sql.ts';
import type { RecordModelCalls } from '../../tenancy/usage/model-calls.ts';
import { costOfCalls } from '../../tenancy/usage/model-prices.ts';
import { type CaseRow, selectEnabledCases } from '../cases/cases.queries.ts';
import { maskPersonalData } from '../cases/mask.ts';
import { compareExchange, judgeCase } from './compare.ts';
import { recordEvaluation } from './evaluation-spans.ts';
import { judgeReply } from './judge.ts';
import { collectRecordings, type Recordings } from './recordings.ts';
import { type ReplayDependencies, type Replayed, replay } from './replay.ts';
import {
  beginRun,
  finishRun,
  insertResult,
  type NewResult,
  type RunRow,
  selectDonePositions,
} from './runs.queries.ts';
import { type RunPayload, runJobName } from './runs.ts';

interface RunDependencies extends ReplayDependencies {
  provider: Pick<AssistantProvider, 'step' | 'generatesText' | 'judge'>;
  db: Database;
  bots: BotLoader;
  recordModelCalls: RecordModelCalls;
  recordSpan: RecordSpan;
}

const questionsAtOnce = 4;
/** Answers whose calls are recordings. */
const recordedAnswers = 500;
const longestName = 500;
const all = { kind: 'all' } as const;

/** Answers the questions of a run. A repeated attempt continues with those that have no result. */
export const runCasesJob = (deps: RunDependencies): Job<RunPayload> => ({
  name: runJobName,
  maxAttempts: 5,
  async run({ runId }, signal) {
    const { db } = deps;
    const run = await beginRun(db, runId);
    if (run === undefined) return;
    const end = await answerAll(deps, run, signal);
    if (signal.aborted) throw signal.reason;
    await db.transaction().execute(async (tx) => {
      const finished = await finishRun(tx, run.id, end);
      if (finished === undefined) return;
      const { state, passed, failed, warned, changed, worse } = finished;
      await recordEvent(tx, 'run.finished', run.team_id, {
        run_id: run.id,
        bot_id: run.bot_id,
        version: run.version,
        state,
        passed,
        failed,
        warned,
        changed,
        worse,
      });
    });
  },
});

interface RunEnd {
  state: 'finished' | 'failed';
  error: string | null;
  questions: number;
}

async function answerAll(deps: RunDependencies, run: RunRow, signal: AbortSignal): Promise<RunEnd> {
  const { db, bots, clock } = deps;
  const failed = (error: string, questions = run.questions): RunEnd => ({
    state: 'failed',
    error,
    questions,
  });
  const team = await selectBotTeam(db, all, run.bot_id, toMonth(clock.now()));
  if (team === undefined) return failed('the bot was deleted');
  const load = async (version: RunRow['version']) =>
    version === 'draft' ? await bots.loadDraft(all, run.bot_id, signal) : await bots.load(run.bot_id);
  try {
    const [bot, baseline] = [await load(run.version), run.baseline && (await load(run.baseline))];
    if (bot === null) return failed('the bot has no published version');
    const owner = { teamId: run.team_id, botId: run.bot_id };
    const recent = await selectRecentExchanges(db, owner, Math.max(recordedAnswers, run.recent_count));
    const asked: Asked[] = [
      ...(run.sources.includes('cases') ? await selectEnabledCases(db, run.bot_id) : []).map((of) => ({
        of,
      })),
      ...(run.sources.includes('recent') ? recent.filter(isReplayable).slice(0, run.recent_count) : []).map(
        (exchange) => ({ exchange }),
      ),
    ];
    const done = new Set(await selectDonePositions(db, run.id));
    const context = { team, bot, baseline: baseline || null, recordings: collectRecordings(recent) };
    const left = [...asked.entries()].filter(([position]) => !done.has(position));
    await forEachConcurrently(left, questionsAtOnce, async ([position, question]) => {
      if (signal.aborted) return;
      const request = { requestId: newId(), runId: run.id, startedAt: Date.now() };
      const result = await currentRequest.run(request.requestId, () =>
        answerOne(deps, request, context, question, signal),
      );
      await insertResult(db, { run, questions: asked.length }, { position, ...result });
    });
    if ((await selectDraftRevision(db, run.bot_id)) !== run.draft_revision && run.version === 'draft')
      return failed('the draft was changed during the run', asked.length);
    return { state: 'finished', error: null, questions: asked.length };
  } catch (error) {
    if (signal.aborted) throw error;
    // Another attempt may find the provider in a better state, but nobody should wait for it.
    if (error instanceof ApiError || error instanceof ProviderError) return failed(error.message);
    throw error;
  }
}

type Asked = { of: CaseRow } | { exchange: Exchange };

const isReplayable = ({ messages }: Exchange): boolean => messages.at(-1)?.role === 'contact';

interface Context {
  team: BotTeam;
  bot: LoadedBot;
  baseline: LoadedBot | null;
  recordings: Recordings;
}

async function answerOne(
  deps: RunDependencies,
  request: { requestId: string; runId: string; startedAt: number },
  { team, bot, baseline, recordings }: Context,
  asked: Asked,
  signal: AbortSignal,
): Promise<Omit<NewResult, 'position'>> {
  const { messages } = 'of' in asked ? asked.of : asked.exchange;
  const record = async (usage: readonly StepUsage[]): Promise<void> => {
    const calls = { teamId: team.teamId, purpose: 'question' as const, answerId: null, usage };
    await deps.recordModelCalls(deps.db, [calls], toMonth(deps.clock.now()));
  };
  const answerWith = async (version: LoadedBot): Promise<Replayed> => {
    const replayed = await replay(deps, { bot: version, team, recordings, messages }, signal);
    await record(replayed.usage);
    return replayed;
  };
  const now = await answerWith(bot);
  const cost = now.cost;
  if ('of' in asked) {
    const { id, name, checks } = asked.of;
    const before = baseline && (await answerWith(baseline));
    const { verdicts, usage } = await judgeReply(deps, bot, asked.of, now.text, signal);
    await record(usage);
    recordEvaluation(deps.recordSpan, request, bot, asked.of, now, verdicts);
    const parts = [cost, before === null ? 0 : before.cost, costOfCalls(usage, deps.prices)];
    const costs = parts.reduce((sum, part) => (sum === null || part === null ? null : sum + part), 0);
    return {
      case_id: id,
      conversation_id: null,
      name,
      cost: costs,
      ...judgeCase(checks, now, before, verdicts, bot),
    };
  }
  const { conversationId } = asked.exchange;
  const result = compareExchange(asked.exchange, now, bot);
  return {
    case_id: null,
    conversation_id: conversationId,
    cost,
    name: maskPersonalData(messages.at(-1)?.text ?? '')
      .slice(0, longestName)
      .toWellFormed(),
    ...result,
    old: result.old && { ...result.old, text: maskPersonalData(result.old.text) },
    new: { ...result.new, text: maskPersonalData(result.new.text) },
  };
}
