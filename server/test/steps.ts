import type {
  AssistantStep,
  AssistantTurn,
  TurnContext,
} from '../src/knowledge/assistant-provider/assistant-provider.ts';
import type { StepUsage } from '../src/ports/provider-error.ts';

export const turnContext: TurnContext = {
  locale: 'en',
  language: null,
  timeZone: 'UTC',
  now: new Date('2026-11-22T19:15:00Z'),
  allowHuman: false,
  deadline: Number.POSITIVE_INFINITY,
};

/** Returns the first turn of an answer. */
export const makeTurn = (
  { ref, revision }: { ref: string; revision: string },
  messages: AssistantTurn['messages'],
  changes: Partial<AssistantTurn> = {},
): AssistantTurn => ({
  assistantRef: ref,
  revision,
  withdrawnDocumentRefs: [],
  context: turnContext,
  messages,
  state: null,
  ...changes,
});

const origin = { usage: [], state: null, fallback: null };

export const saying = (
  text: string,
  changes: Partial<Extract<AssistantStep, { kind: 'answer' }>> = {},
): AssistantStep => ({
  kind: 'answer',
  text,
  answered: true,
  sources: [],
  handsOver: false,
  ...origin,
  ...changes,
});

/** One call, whose id is `c`. */
export const calling = (
  tool: string,
  given: object = {},
  changes: Partial<Extract<AssistantStep, { kind: 'tool_calls' }>> = {},
): Extract<AssistantStep, { kind: 'tool_calls' }> => ({
  kind: 'tool_calls',
  text: '',
  calls: [{ callId: 'c', tool, arguments: JSON.stringify(given) }],
  ...origin,
  ...changes,
});

export const tokens = (input: number, output: number): StepUsage[] => [
  { provider: 'test', model: 'small', tokens: { input, cached: null, output, reasoning: null } },
];
