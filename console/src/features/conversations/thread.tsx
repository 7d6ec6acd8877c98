import type { Conversation, MessageRecord } from '@parley/sdk';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { memo, useMemo } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Skeleton } from '../../components/ui/skeleton.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { conversationsMessages } from './conversations.messages.ts';
import { newestMessagesQuery, threadQuery } from './conversations.queries.ts';
import { MessageItem } from './message-item.tsx';

/** The messages, oldest first. The reversed column keeps the end in view while messages arrive. */
export function Thread({ conversation: { id, contact_number } }: { conversation: Conversation }) {
  const t = useMessages(conversationsMessages);
  const query = useInfiniteQuery(threadQuery(id));
  const newest = useQuery(newestMessagesQuery(id));
  const messages = useMemo(
    () => merge(query.data?.pages.flatMap(({ data }) => data) ?? [], newest.data?.data ?? []),
    [query.data, newest.data],
  );
  return (
    <div
      role="log"
      aria-label={t.messagesWith(contact_number)}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll
      tabIndex={0}
      className="flex min-h-0 flex-1 flex-col-reverse overflow-y-auto px-4 py-4 -outline-offset-2 lg:px-6"
    >
      <div className="grid gap-3">
        {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        {query.isPending && <Skeleton className="h-32 w-full" />}
        {query.hasNextPage && (
          <Button
            look="ghost"
            className="justify-self-center"
            busy={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            {t.earlier}
          </Button>
        )}
        <MessageList messages={messages} />
      </div>
    </div>
  );
}

/** Memoized, because a thread may have thousands of messages. */
const MessageList = memo(({ messages }: { messages: readonly MessageRecord[] }) => {
  const { date } = useFormats();
  const days = messages.map(({ created_at }) => date(created_at));
  return (
    <ol className="grid gap-2">
      {messages.map((message, position) => (
        <MessageItem
          key={message.id}
          message={message}
          day={days[position] === days[position - 1] ? null : (days[position] ?? null)}
        />
      ))}
    </ol>
  );
});

/** Joins pages that may overlap; the newest record of each message counts. Returns the oldest first. */
function merge(pages: readonly MessageRecord[], newest: readonly MessageRecord[]): MessageRecord[] {
  const byId = new Map([...pages, ...newest].map((message) => [message.id, message]));
  return [...byId.values()].sort((a, b) =>
    a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : a.id < b.id ? -1 : 1,
  );
}
