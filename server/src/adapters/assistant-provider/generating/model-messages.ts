import type { ModelMessage, ModelState, ModelToolCall } from '../../language-model/language-model.ts';
import type { TurnMessage } from '../assistant-provider.ts';

/** The state of an answer between its steps. */
export interface AnswerState {
  /** The provider and the id of the model that can read `model`. */
  writer: string;
  model: ModelState;
  /** Per step: calls of end tools beside calls of actions. They are not made, but the model needs a result for each. */
  postponed: readonly (readonly ModelToolCall[])[];
}

/** Returns null on the first step and for the state of another model, whose reasoning this model cannot read. */
export function readState(state: unknown, writer: string): AnswerState | null {
  // `generateStep` returned it with the previous step.
  const known = state as AnswerState | null;
  return known?.writer === writer ? known : null;
}

const postponedResult =
  'error: not sent, because the other calls had no results yet; send it now if it still fits';

/** `messages` may begin with steps of earlier answers. `state` describes only the steps of this answer, which come last. */
export function toModelMessages(
  messages: readonly TurnMessage[],
  { state, vision }: { state: AnswerState | null; vision: boolean },
): ModelMessage[] {
  const steps = messages.filter((message) => message.role === 'tool_results').length;
  const postponed = state?.postponed ?? [];
  let step = -1;
  const ofStep = (index: number) => postponed[index - (steps - postponed.length)] ?? [];
  return messages.map((message): ModelMessage => {
    switch (message.role) {
      case 'contact': {
        const images = vision ? (message.images ?? []) : [];
        return { role: 'user', text: message.text, ...(images.length === 0 ? {} : { images }) };
      }
      case 'assistant': {
        if (message.calls === undefined) return { role: 'assistant', text: message.text, toolCalls: [] };
        step += 1;
        return { role: 'assistant', text: message.text, toolCalls: [...message.calls, ...ofStep(step)] };
      }
      case 'tool_results': {
        const added = ofStep(step).map(({ callId, tool }) => ({ callId, tool, result: postponedResult }));
        return { role: 'tool', results: [...message.results, ...added] };
      }
      default:
        return message satisfies never;
    }
  });
}
