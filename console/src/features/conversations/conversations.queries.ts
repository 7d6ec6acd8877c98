import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { whileFeedIsDead } from '../../app/live-queries.ts';

export const conversationStates = ['bot', 'paused', 'closed'] as const;
export const conversationFlags = [
  'any',
  'unanswered',
  'human_requested',
  'out_of_credits',
  'provider_failed',
  'bot_not_published',
  'payment_captured',
  'automated_contact',
] as const;

type ConversationState = (typeof conversationStates)[number];
type ConversationFlag = (typeof conversationFlags)[number];

export interface ConversationsSearch {
  team?: string | undefined;
  device?: string | undefined;
  state?: ConversationState | undefined;
  flag?: ConversationFlag | undefined;
  rating?: 'up' | 'down' | undefined;
  unread?: boolean | undefined;
  bot?: string | undefined;
  assignee?: string | undefined;
  label?: string | undefined;
  q?: string | undefined;
}

const inboxPageSize = 30;
const threadPageSize = 50;

interface Numbered {
  page: number;
  totalPages: number;
}

const nextPage = ({ meta }: { meta: Numbered }): number | undefined =>
  meta.page < meta.totalPages ? meta.page + 1 : undefined;

export const inboxQuery = ({ q, ...filters }: ConversationsSearch) =>
  infiniteQueryOptions({
    queryKey: ['conversations', 'list', { ...filters, q }],
    queryFn: ({ pageParam, signal }) =>
      api.listConversations(
        {
          page: pageParam,
          limit: inboxPageSize,
          sort: 'last_message_at',
          team_id: filters.team,
          device_id: filters.device,
          state: filters.state,
          flag: filters.flag,
          unread: filters.unread,
          rating: filters.rating,
          bot_id: filters.bot,
          assignee: filters.assignee,
          label: filters.label?.slice(0, 40),
          q: q?.trim().slice(0, 100) || undefined,
        },
        { signal },
      ),
    initialPageParam: 1,
    getNextPageParam: nextPage,
    refetchInterval: whileFeedIsDead(5_000, 20_000),
  });

export const conversationQuery = (id: string) =>
  queryOptions({
    queryKey: ['conversations', 'one', id],
    queryFn: ({ signal }) => api.getConversation({ id }, { signal }),
    refetchInterval: whileFeedIsDead(3_000),
  });

/** The decision of the team's contact: always one item. */
export const consentsQuery = ({
  contact_number: number,
  team_id,
}: {
  contact_number: string;
  team_id: string;
}) =>
  queryOptions({
    queryKey: ['contacts', 'consents', team_id, number],
    queryFn: ({ signal }) => api.getConsents({ number, team_id }, { signal }),
    refetchInterval: whileFeedIsDead(10_000),
  });

/**
 * The thread, a page of earlier messages at a time. It is read again only when it is opened: the newest messages are polled,
 * and thousands of earlier ones would take hundreds of requests.
 */
export const threadQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['threads', id],
    queryFn: ({ pageParam, signal }) =>
      api.listConversationMessages({ id, after: pageParam, limit: threadPageSize }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ meta }) => meta.next_cursor,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** The newest messages, polled by themselves so that a long thread is not read again. */
export const newestMessagesQuery = (id: string) =>
  queryOptions({
    queryKey: ['conversations', 'newest', id],
    queryFn: ({ signal }) => api.listConversationMessages({ id, limit: threadPageSize }, { signal }),
    refetchInterval: whileFeedIsDead(2_000),
  });

export const answerQuery = (messageId: string) =>
  queryOptions({
    queryKey: ['messages', 'answer', messageId],
    queryFn: ({ signal }) => api.getMessageAnswer({ id: messageId }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
