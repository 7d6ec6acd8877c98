import type {
  ModelImage,
  ModelMessage,
  ModelState,
  ModelToolCall,
} from '../../../ports/language-model/language-model.ts';
import type { ContactMessage, QuotedMessage, TurnMessage } from '../assistant-provider.ts';

/** A message of the conversation before the contact's words are encoded. */
export type PromptMessage =
  | Exclude<ModelMessage, { role: 'user' }>
  | { role: 'user'; data: ContactData; images?: readonly ModelImage[] };

/** A message of the contact as the model sees it. */
interface ContactData {
  message: string | null;
  reply_to?: QuotedMessage;
  deleted?: true;
  corrected_later?: true;
}

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
export function toPromptMessages(
  messages: readonly TurnMessage[],
  { state, vision }: { state: AnswerState | null; vision: boolean },
): PromptMessage[] {
  const steps = messages.filter((message) => message.role === 'tool_results').length;
  const postponed = state?.postponed ?? [];
  let step = -1;
  const ofStep = (index: number) => postponed[index - (steps - postponed.length)] ?? [];
  return messages.map((message): PromptMessage => {
    switch (message.role) {
      case 'contact': {
        const images = vision ? (message.images ?? []) : [];
        return { role: 'user', data: toContactData(message), ...(images.length === 0 ? {} : { images }) };
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

function toContactData({ text, quoted, withdrawn }: ContactMessage): ContactData {
  if (withdrawn !== undefined)
    return { message: null, ...(withdrawn === 'deleted' ? { deleted: true } : { corrected_later: true }) };
  return { message: text, ...(quoted === undefined ? {} : { reply_to: quoted }) };
}
