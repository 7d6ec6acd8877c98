import type { LoadedBot } from '../../knowledge/bots/bot-loader.ts';
import { describeTexts, type RecordSpan } from '../../platform/telemetry/spans.ts';
import type { CaseRow } from '../cases/cases.queries.ts';
import { runCheck } from '../cases/checks.ts';
import { describeVerdict, type Verdict } from './judge.ts';
import type { Replayed } from './replay.ts';

/** Records the answer to a case with a `gen_ai.evaluation.result` for each check. Other spans of the request are parts of it. */
export function recordEvaluation(
  recordSpan: RecordSpan,
  { requestId, runId, startedAt }: { requestId: string; runId: string; startedAt: number },
  bot: Pick<LoadedBot, 'botId' | 'name'>,
  { id, messages, checks }: Pick<CaseRow, 'id' | 'messages' | 'checks'>,
  reply: Replayed,
  verdicts: readonly Verdict[],
): void {
  const asked = messages.flatMap(({ role, text }) => (role === 'contact' ? [text] : []));
  const decided = checks.filter(({ kind }) => kind !== 'judge').map((check) => runCheck(check, reply));
  const judged = verdicts.filter(({ runs }) => runs > 0);
  recordSpan({
    name: `invoke_agent ${bot.name}`,
    requestId,
    root: { caller: null, isParent: true },
    kind: 'internal',
    startedAt,
    failed: false,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': bot.botId,
      'gen_ai.agent.name': bot.name,
      'parley.run_id': runId,
      'parley.case_id': id,
    },
    texts: () => describeTexts(asked, reply.text),
    events: [
      ...decided.map(({ kind, passed, because }) => toEvent(kind, passed ? 1 : 0, because)),
      ...judged.map((verdict) =>
        toEvent('judge', verdict.fulfilled / verdict.runs, describeVerdict(verdict)),
      ),
    ],
  });
}

/** `score`: the share of the judgements that the answer passed, 0 to 1. */
const toEvent = (name: string, score: number, because: string | null) => ({
  name: 'gen_ai.evaluation.result',
  attributes: {
    'gen_ai.evaluation.name': name,
    'gen_ai.evaluation.score.value': score,
    'gen_ai.evaluation.score.label': score === 1 ? 'pass' : 'fail',
  },
  texts: () => ({ 'gen_ai.evaluation.explanation': because }),
});
