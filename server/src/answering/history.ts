import type { TurnMessage } from '../adapters/assistant-provider/assistant-provider.ts';
import type { ModelImage } from '../adapters/language-model/language-model.ts';
import type { HistoryMessage } from './conversation-context.queries.ts';

/** Puts the calls of actions before the first message of their answer. `images` are by message id. */
export function toTurnMessages(
  history: readonly HistoryMessage[],
  images: ReadonlyMap<string, ModelImage> | null = null,
): TurnMessage[] {
  const seen = new Set<string>();
  return history.flatMap(({ id, direction, text, answerId, calls }): TurnMessage[] => {
    if (direction === 'in') {
      const image = images?.get(id);
      // An image without a caption may not be among the newest ones.
      return text === '' && image === undefined ? [] : [toContactMessage(text, image)];
    }
    const isFirst = answerId !== null && calls !== null && !seen.has(answerId);
    if (answerId !== null) seen.add(answerId);
    const earlier = isFirst
      ? calls.map((call, index) => ({ ...call, callId: createCallId(answerId, index) }))
      : [];
    if (earlier.length === 0) return [{ role: 'assistant', text }];
    return [
      {
        role: 'assistant',
        text: '',
        calls: earlier.map(({ callId, tool, arguments: given }) => ({ callId, tool, arguments: given })),
      },
      {
        role: 'tool_results',
        results: earlier.map(({ callId, tool, result }) => ({ callId, tool, result })),
      },
      { role: 'assistant', text },
    ];
  });
}

export const toContactMessage = (text: string, image: ModelImage | undefined): TurnMessage => ({
  role: 'contact',
  text,
  ...(image === undefined ? {} : { images: [image] }),
});

/** Mistral requires nine letters or digits. */
const createCallId = (answerId: string, index: number): string =>
  `${answerId.slice(-8)}${index.toString(36)}`;
