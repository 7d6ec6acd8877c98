import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.tsx';
import { lazyPage } from '../../components/lazily.tsx';
import { readChoice, readFlag, readText } from '../../lib/search-params.ts';
import { type ConversationsSearch, conversationFlags, conversationStates } from './conversations.queries.ts';

const conversationsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/conversations',
  validateSearch: ({
    team,
    device,
    state,
    flag,
    unread,
    rating,
    bot,
    assignee,
    label,
    q,
  }: Record<string, unknown>): ConversationsSearch => ({
    team: readText(team),
    device: readText(device),
    state: readChoice(state, conversationStates),
    flag: readChoice(flag, conversationFlags),
    unread: readFlag(unread),
    rating: readChoice(rating, ['up', 'down'] as const),
    bot: readText(bot),
    assignee: readText(assignee),
    label: readText(label),
    q: readText(q),
  }),
  component: lazyPage(() => import('./inbox-page.tsx'), 'InboxPage'),
});

const noConversationRoute = createRoute({
  getParentRoute: () => conversationsRoute,
  path: '/',
  component: lazyPage(() => import('./no-conversation.tsx'), 'NoConversation'),
});

const conversationRoute = createRoute({
  getParentRoute: () => conversationsRoute,
  path: '$conversationId',
  component: lazyPage(() => import('./conversation-page.tsx'), 'ConversationPage'),
});

export const conversationRoutes = conversationsRoute.addChildren([noConversationRoute, conversationRoute]);
