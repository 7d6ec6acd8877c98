import { createHash } from 'node:crypto';
import { type ToolResult, unknownOutcome } from '../../knowledge/assistant-provider/assistant-provider.ts';
import type { BotAction } from '../../knowledge/bots/bot-actions.ts';
import type { LoadedBot } from '../../knowledge/bots/bot-loader.ts';
import type { ActionMethod } from '../../knowledge/bots/bots.schemas.ts';
import { faultPoint } from '../../platform/shared/fault-points.ts';
import { toStorableText } from '../../platform/shared/storable-text.ts';
import type { ActionArguments } from './action-request.ts';
import type { Chat } from './action-signature.ts';
import type { ActionResult, CallAction } from './call-action.ts';
import type { CallWithResult } from './conversation-context.queries.ts';
import { readArguments } from './tool-arguments.ts';
import type { LoggedCall, LoggedStep, ToolCall, ToolCallLog, ToolOutcome } from './tool-call-log.ts';

export const maxCallsPerStep = 8;
export const maxCalls = 16;
const tooManyCalls = `error: not called: an answer may make ${maxCalls} calls, and a step ${maxCallsPerStep}`;

export interface CallOptions {
  bot: Pick<LoadedBot, 'teamId' | 'tools'>;
  callAction: CallAction;
  toolCalls: ToolCallLog;
  /** Null for a question that is asked over the API. */
  chat: Chat | null;
  idempotencySeed: string;
  signal: AbortSignal;
}

export interface CalledAction {
  /** The partner's name of the action. An unknown action has the model's name. */
  name: string;
  /** Empty if the model's arguments do not fit the action. */
  arguments: ActionArguments;
  status: number | null;
  ms: number;
  error: string | null;
}

/** The calls of an answer so far. */
export interface Progress {
  /** Of the next call in the log. */
  position: number;
  repeatingSteps: number;
  /** By `identifyCall`. */
  outcomes: Map<string, ToolOutcome>;
  actions: CalledAction[];
  calls: CallWithResult[];
}

export const createProgress = (): Progress => ({
  position: 0,
  repeatingSteps: 0,
  outcomes: new Map(),
  actions: [],
  calls: [],
});

/** Makes the calls of a step, one after the other. Returns a result for each, also for those over the limits. */
export async function runCalls(
  options: CallOptions,
  { calls, excess }: Pick<LoggedStep, 'calls' | 'excess'>,
  progress: Progress,
): Promise<ToolResult[]> {
  const results: ToolResult[] = [];
  let repeatsOnly = true;
  for (const logged of calls) {
    const { callId, tool, arguments: written } = logged.call;
    const read = readCall(options.bot, logged.call);
    const identity = identifyCall(logged.call, read);
    const known = progress.outcomes.get(identity);
    const outcome =
      logged.outcome ?? (await runCall(options, logged, read, { position: progress.position, known }));
    progress.position += 1;
    results.push({ callId, tool, result: outcome.result });
    if (known !== undefined) continue;
    repeatsOnly = false;
    const { status, ms, error, result } = outcome;
    progress.outcomes.set(identity, outcome);
    progress.calls.push({ tool, arguments: written, result });
    progress.actions.push({ name: read.name, arguments: read.given, status, ms, error });
  }
  progress.repeatingSteps = repeatsOnly ? progress.repeatingSteps + 1 : 0;
  return [...results, ...excess.map(({ callId, tool }) => ({ callId, tool, result: tooManyCalls }))];
}

interface ReadCall {
  action: BotAction | undefined;
  /** The partner's name of the action. An unknown action has the model's name. */
  name: string;
  /** Empty if the model's arguments do not fit the action. */
  given: ActionArguments;
  /** Why the call cannot be made. */
  fault: string | null;
}

function readCall(bot: Pick<LoadedBot, 'tools'>, { tool, arguments: written }: ToolCall): ReadCall {
  const action = bot.tools.get(tool);
  if (action === undefined)
    return { action, name: toStorableText(tool), given: {}, fault: 'there is no such action' };
  const read = readArguments(action, written);
  return 'given' in read
    ? { action, name: action.name, given: read.given, fault: null }
    : { action, name: action.name, given: {}, fault: `the call was not made: ${read.fault}` };
}

/** Returns the same text for the same call, however the model writes its arguments. */
const identifyCall = ({ tool, arguments: written }: ToolCall, { given, fault }: ReadCall): string =>
  JSON.stringify([tool, fault === null ? sortMembers(given) : written]);

const sortMembers = (given: ActionArguments) => Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1));

/**
 * Makes a call and stores its outcome. Does not repeat a call that an earlier attempt may have sent, except a GET. `known` is the
 * outcome of the same call earlier in this answer.
 */
async function runCall(
  options: CallOptions,
  { call, mayHaveBeenSent }: LoggedCall,
  read: ReadCall,
  { position, known }: { position: number; known: ToolOutcome | undefined },
): Promise<ToolOutcome> {
  const startedAt = performance.now();
  const isRepeatable = isGet(call.method) && isGet(read.action?.method ?? null);
  const result =
    known ?? (mayHaveBeenSent && !isRepeatable ? interruptedCall : await makeCall(options, call, read));
  const outcome = { ...result, ms: Math.round(performance.now() - startedAt) };
  await options.toolCalls.finish(position, known === undefined ? read.name : null, outcome);
  return outcome;
}

async function makeCall(
  { bot, callAction, chat, idempotencySeed, signal }: CallOptions,
  call: ToolCall,
  { action, given, fault }: ReadCall,
): Promise<ActionResult> {
  if (action === undefined || fault !== null) return failedCall(fault ?? 'there is no such action');
  const idempotencyKey = createIdempotencyKey(idempotencySeed, call.tool, given);
  const result = await callAction(action, given, { teamId: bot.teamId, idempotencyKey, chat, signal });
  faultPoint('answer.after_action');
  return result;
}

const isGet = (method: ActionMethod | null): boolean => method === null || method === 'GET';

const failedCall = (error: string): ActionResult => ({ status: null, error, result: `error: ${error}` });

const interruptedCall: ActionResult = {
  status: null,
  error: 'the outcome is unknown, because the process stopped during the call',
  result: unknownOutcome,
};

const createIdempotencyKey = (seed: string, tool: string, given: ActionArguments): string =>
  createHash('sha256')
    .update(JSON.stringify([seed, tool, sortMembers(given)]))
    .digest('base64url');
