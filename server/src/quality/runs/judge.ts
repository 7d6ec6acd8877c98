import type { AssistantProvider } from '../../knowledge/assistant-provider/assistant-provider.ts';
import type { LoadedBot } from '../../knowledge/bots/bot-loader.ts';
import { ProviderError, type StepUsage } from '../../ports/provider-error.ts';
import type { Case } from '../cases/cases.schemas.ts';

/** What a model says about a criterion in several runs. */
export interface Verdict {
  criterion: string;
  /** How many of the runs say that the answer fulfils it. */
  fulfilled: number;
  /** 0: nothing has judged. */
  runs: number;
  /** Of the first run that says that the answer does not fulfil it. */
  words: string;
}

const runsOfEach = 3;
const longestMs = 30_000;

/** Lets a model judge a reply three times for each check of kind `judge`. Without a language model, nothing is judged. */
export async function judgeReply(
  { provider }: { provider: Pick<AssistantProvider, 'judge' | 'generatesText'> },
  bot: Pick<LoadedBot, 'assistantRef' | 'revision'>,
  { messages, checks }: Pick<Case, 'messages' | 'checks'>,
  reply: string,
  signal: AbortSignal,
): Promise<{ verdicts: Verdict[]; usage: StepUsage[] }> {
  const verdicts: Verdict[] = [];
  const usage: StepUsage[] = [];
  for (const { kind, criterion = '' } of checks) {
    if (kind !== 'judge') continue;
    const verdict: Verdict = { criterion, fulfilled: 0, runs: 0, words: '' };
    verdicts.push(verdict);
    for (let run = 0; provider.generatesText && run < runsOfEach; run += 1) {
      const { assistantRef, revision } = bot;
      const deadline = performance.now() + longestMs;
      const turn = { assistantRef, revision, conversation: messages, reply, criterion, deadline };
      const judged = await provider.judge(turn, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        if (error instanceof ProviderError) return null;
        throw error;
      });
      if (judged === null) continue;
      verdict.runs += 1;
      usage.push(...judged.usage);
      if (judged.fulfilled) verdict.fulfilled += 1;
      else verdict.words ||= judged.words;
    }
  }
  return { verdicts, usage };
}

/** Returns why a verdict warns, or null if all runs say that the answer fulfils the criterion. */
export function describeVerdict({ criterion, fulfilled, runs, words }: Verdict): string | null {
  if (runs === 0) return `nothing has judged, because no language model did: ${criterion}`;
  if (fulfilled === runs) return null;
  return `${runs - fulfilled} of ${runs} judgements say that the answer fails: ${criterion}${words === '' ? '' : ` (“${words}”)`}`;
}
