import type { Conversation, MessageRecord } from '@parley/sdk';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Skeleton } from '../../components/ui/skeleton.tsx';
import { useContactLabel } from '../../components/use-contact-label.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { conversationsMessages } from './conversations.messages.ts';
import { newestMessagesQuery, threadQuery } from './conversations.queries.ts';
import { MessageList } from './message-list.tsx';

/** Earlier messages load when the user is this many pixels from the first one. */
const loadDistance = 600;
/** The part of the visible height that PageUp and PageDown scroll. */
const pageShare = 0.9;

/** The messages, oldest first. The reversed column keeps the end, or the place of the reader, while messages load above. */
export function Thread({ conversation: { id, contact_number } }: { conversation: Conversation }) {
  const t = useMessages(conversationsMessages);
  const labelOf = useContactLabel();
  const scroller = useRef<HTMLDivElement>(null);
  const query = useInfiniteQuery(threadQuery(id));
  const newest = useQuery(newestMessagesQuery(id));
  const messages = useMemo(
    () => merge(query.data?.pages.flatMap(({ data }) => data) ?? [], newest.data?.data ?? []),
    [query.data, newest.data],
  );
  useReloadAfterGap(id, query.data?.pages[0]?.data, newest.data?.data);
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError } = query;
  const loadEarlier = () => {
    if (hasNextPage && !isFetchingNextPage) void query.fetchNextPage();
  };
  const loadNearTheFirst = () => {
    if (scroller.current === null || isFetchNextPageError) return;
    const { scrollTop, scrollHeight, clientHeight } = scroller.current;
    if (scrollHeight - clientHeight + scrollTop < loadDistance) loadEarlier();
  };
  // A user who scrolled on while messages loaded may be near the first one, without another event of scrolling.
  useEffect(loadNearTheFirst);
  return (
    <>
      {query.isError && (
        <div className="px-4 pt-4 lg:px-6">
          <ErrorNotice
            error={query.error}
            onRetry={() => void (isFetchNextPageError ? query.fetchNextPage() : query.refetch())}
          />
        </div>
      )}
      {newest.isLoadingError && !query.isError && (
        <div className="px-4 pt-4 lg:px-6">
          <ErrorNotice error={newest.error} onRetry={() => void newest.refetch()} />
        </div>
      )}
      <section
        ref={scroller}
        aria-label={t.messagesWith(labelOf(contact_number))}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll
        tabIndex={0}
        className="flex min-h-0 flex-1 flex-col-reverse overflow-y-auto px-4 py-4 -outline-offset-2 lg:px-6"
        onScroll={loadNearTheFirst}
        onKeyDown={scrollByKey}
      >
        <div className="grid grid-cols-1 gap-3">
          {query.isPending && <Skeleton className="h-32 w-full" />}
          {hasNextPage && (
            <Button
              look="ghost"
              // The browser must keep the place of the messages, not of the button.
              className="justify-self-center [overflow-anchor:none]"
              busy={isFetchingNextPage}
              onClick={loadEarlier}
            >
              {t.earlier}
            </Button>
          )}
          {messages.length > 0 && (
            <MessageList
              conversationId={id}
              messages={messages}
              total={Math.max(messages.length, (newest.data ?? query.data?.pages[0])?.meta.total ?? 0)}
              scroller={scroller}
            />
          )}
        </div>
      </section>
      {messages.length > 0 && <NewMessages messages={messages} />}
    </>
  );
}

/**
 * Scrolls without animation. In a reversed column, Chromium stops its animation as soon as the height changes, which happens
 * while messages load, and the user would not arrive.
 */
function scrollByKey(event: KeyboardEvent<HTMLElement>): void {
  const { currentTarget: thread, target, key } = event;
  const hasModifier = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
  const distance = {
    Home: -thread.scrollHeight,
    End: thread.scrollHeight,
    PageUp: -thread.clientHeight * pageShare,
    PageDown: thread.clientHeight * pageShare,
  }[key];
  // A player of sound has its own use of these keys.
  if (distance === undefined || hasModifier || target instanceof HTMLMediaElement) return;
  event.preventDefault();
  thread.scrollBy({ top: distance, behavior: 'instant' });
}

/** Reads the thread again once more messages have arrived than the newest page holds. Otherwise some would be missing. */
function useReloadAfterGap(
  id: string,
  loaded: readonly MessageRecord[] | undefined,
  newest: readonly MessageRecord[] | undefined,
): void {
  const queries = useQueryClient();
  useEffect(() => {
    const oldest = newest?.at(-1);
    const last = loaded?.[0];
    if (oldest === undefined || last === undefined || oldest.created_at <= last.created_at) return;
    void queries.resetQueries({ queryKey: threadQuery(id).queryKey });
  }, [queries, id, loaded, newest]);
}

/** Joins pages that may overlap; the newest record of each message counts. Returns the oldest first. */
function merge(pages: readonly MessageRecord[], newest: readonly MessageRecord[]): MessageRecord[] {
  const byId = new Map([...pages, ...newest].map((message) => [message.id, message]));
  return [...byId.values()].sort((a, b) =>
    a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : a.id < b.id ? -1 : 1,
  );
}

/** Lets screen readers announce messages that arrive. The list itself cannot: its rows also change when it scrolls. */
function NewMessages({ messages }: { messages: readonly MessageRecord[] }) {
  const t = useMessages(conversationsMessages);
  const [opened] = useState(() => messages.at(-1)?.created_at ?? '');
  const arrived = messages.slice(-3).filter(({ created_at }) => created_at > opened);
  return (
    <div role="log" className="sr-only">
      {arrived.map(({ id, origin, kind, text }) => (
        <p key={id}>
          {t.origins[origin]}: {text === '' && kind !== 'text' ? t.kinds[kind] : text}
        </p>
      ))}
    </div>
  );
}
