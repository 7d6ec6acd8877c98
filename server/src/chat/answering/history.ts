import type { TurnMessage } from '../../knowledge/assistant-provider/assistant-provider.ts';
import type { ModelImage } from '../../ports/language-model/language-model.ts';
import type { HistoryMessage } from './conversation-context.queries.ts';

/**
 * Puts the calls of actions before the first message of their answer. `images` are by message id. Leaves out the calls for a
 * message that the contact deleted, because their arguments may quote it.
 */
export function toTurnMessages(
  history: readonly HistoryMessage[],
  images: ReadonlyMap<string, ModelImage> | null = null,
): TurnMessage[] {
  const answersToDeleted = new Set(
    history.flatMap(({ withdrawn, answerId }) => (withdrawn === 'deleted' ? (answerId ?? []) : [])),
  );
  const seen = new Set(answersToDeleted);
  return history.flatMap(({ id, direction, text, answerId, calls, withdrawn, quoted }): TurnMessage[] => {
    if (direction === 'in') {
      const image = images?.get(id);
      // An image without a caption may not be among the newest ones.
      const isEmpty = text === '' && image === undefined && withdrawn === null;
      return isEmpty ? [] : [toContactMessage({ text, image, withdrawn, quoted })];
    }
    if (withdrawn !== null) return [];
    const isFirst = answerId !== null && calls !== null && !seen.has(answerId);
    if (answerId !== null) seen.add(answerId);
    const earlier = isFirst
      ? calls.map((call, index) => ({ ...call, callId: createCallId(answerId, index) }))
      : [];
    // A file that a person sent without a text.
    if (earlier.length === 0) return text === '' ? [] : [{ role: 'assistant', text }];
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

export const toContactMessage = ({
  text,
  image,
  withdrawn,
  quoted,
}: {
  text: string;
  image: ModelImage | undefined;
  withdrawn: HistoryMessage['withdrawn'];
  quoted: HistoryMessage['quoted'];
}): TurnMessage => ({
  role: 'contact',
  text,
  ...(image === undefined ? {} : { images: [image] }),
  ...(withdrawn === null ? {} : { withdrawn }),
  ...(quoted === null ? {} : { quoted }),
});

/** Mistral requires nine letters or digits. */
const createCallId = (answerId: string, index: number): string =>
  `${answerId.slice(-8)}${index.toString(36)}`;
