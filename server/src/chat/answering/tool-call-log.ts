import type { AssistantStep } from '../../knowledge/assistant-provider/assistant-provider.ts';
import type { ActionMethod } from '../../knowledge/bots/bots.schemas.ts';
import type { Database } from '../../platform/database/database.ts';
import { toStorableText } from '../../platform/shared/storable-text.ts';
import type { ModelToolCall } from '../../ports/language-model/language-model.ts';
import type { Claim } from '../conversations/claims.sql.ts';
import { insertToolCalls, updateToolCall } from '../conversations/tool-calls.sql.ts';
import type { ActionResult } from './call-action.ts';
import type { ConversationContext, UnansweredMessage } from './conversation-context.queries.ts';

/** A step with calls, as the provider returned it. */
type CallingStep = Extract<AssistantStep, { kind: 'tool_calls' }>;

export interface ToolCall extends ModelToolCall {
  method: ActionMethod | null;
}

export interface ToolOutcome extends ActionResult {
  ms: number;
}

export interface LoggedStep {
  step: Omit<CallingStep, 'calls'>;
  calls: readonly LoggedCall[];
  /** Calls that the model wanted beyond the limits of an answer. */
  excess: readonly ModelToolCall[];
}

export interface LoggedCall {
  call: ToolCall;
  outcome: ToolOutcome | null;
  /** Whether an earlier attempt may have sent it. */
  mayHaveBeenSent: boolean;
}

/**
 * The tool calls made so far to answer the unanswered messages of a claimed conversation. A retry, also by another worker,
 * continues after them.
 */
export interface ToolCallLog {
  /** The steps of earlier attempts, in order. */
  readonly earlier: readonly LoggedStep[];
  /**
   * Stores a step with at least one call before the first of them is made. `position` counts calls. Rejects with `ClaimLost`.
   */
  add(position: number, step: CallingStep, calls: readonly ToolCall[]): Promise<void>;
  /**
   * Stores the outcome of a call. `action` names the action for the event of a failed call; it is null if the call was not made
   * again. Rejects with `ClaimLost`.
   */
  finish(position: number, action: string | null, outcome: ToolOutcome): Promise<void>;
}

/** Another worker has claimed the conversation, or a person has taken it over. Nothing was written. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

type ToolCallContext = Pick<ConversationContext, 'unanswered' | 'toolCalls'>;

/** `messages` come from `getMessagesToAnswer`. At least one. */
export function createToolCallLog(
  db: Database,
  claim: Claim,
  messages: readonly UnansweredMessage[],
  context: ToolCallContext,
): ToolCallLog {
  const firstMessageId = messages[0]?.id ?? '';
  const lastMessageId = messages.at(-1)?.id ?? '';
  const requireClaim = (written: boolean): void => {
    if (!written) throw new ClaimLost();
  };
  return {
    earlier: readSteps(selectStoredCalls(context)),
    async add(position, { calls: wanted, ...step }, given) {
      const excess = wanted.slice(given.length);
      const calls = given.map((call, index): StoredCall['call'] => ({
        lastMessageId,
        made: call,
        ...(index === 0 ? { step, excess } : {}),
      }));
      requireClaim(await insertToolCalls(db, claim, { firstMessageId, position, calls }));
    },
    async finish(position, action, outcome) {
      const { status, error } = outcome;
      const failure =
        error === null || action === null ? null : { action: toStorableText(action), status, error };
      requireClaim(await updateToolCall(db, claim, { firstMessageId, position, outcome, failure }));
    },
  };
}

/**
 * Returns all unanswered messages, or after stored calls only the messages that these calls were made for. Later messages
 * get their own answer.
 */
export function getMessagesToAnswer(context: ToolCallContext): readonly UnansweredMessage[] {
  const { unanswered } = context;
  const [stored] = selectStoredCalls(context);
  const last = unanswered.findIndex(({ id }) => id === stored?.call.lastMessageId);
  return last === -1 ? unanswered : unanswered.slice(0, last + 1);
}

interface StoredCall {
  /** `step` is present on the first call of each step, and `excess` since version 0.3. */
  call: {
    lastMessageId: string;
    made: ToolCall;
    step?: LoggedStep['step'];
    excess?: LoggedStep['excess'];
  };
  outcome: ToolOutcome | null;
}

const selectStoredCalls = ({ unanswered, toolCalls }: ToolCallContext): StoredCall[] =>
  // Only `add` and `finish` write the JSON of these rows.
  toolCalls.filter((row) => row.firstMessageId === unanswered[0]?.id) as unknown as StoredCall[];

/** Calls are made in order: an earlier attempt may have sent the first call without an outcome, but none after it. */
function readSteps(stored: readonly StoredCall[]): LoggedStep[] {
  const interrupted = stored.find(({ outcome }) => outcome === null);
  const steps: (Omit<LoggedStep, 'calls'> & { calls: LoggedCall[] })[] = [];
  for (const row of stored) {
    const { step, made, excess = [] } = row.call;
    if (step !== undefined) steps.push({ step, calls: [], excess });
    steps.at(-1)?.calls.push({ call: made, outcome: row.outcome, mayHaveBeenSent: row === interrupted });
  }
  return steps;
}

/** Stores nothing. For a question over the API: its client sees a failure and decides whether to ask again. */
export const noToolCallLog: ToolCallLog = {
  earlier: [],
  add: async () => undefined,
  finish: async () => undefined,
};
