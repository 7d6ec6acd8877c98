import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.tsx';
import { readChoice, readText } from '../../lib/search-params.ts';
import { type ConversationsSearch, conversationStates } from './conversations.queries.ts';

const conversationsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/conversations',
  validateSearch: ({ team, device, state, number }: Record<string, unknown>): ConversationsSearch => ({
    team: readText(team),
    device: readText(device),
    state: readChoice(state, conversationStates),
    number: readText(number),
  }),
  component: lazyRouteComponent(() => import('./inbox-page.tsx'), 'InboxPage'),
});

const noConversationRoute = createRoute({
  getParentRoute: () => conversationsRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./no-conversation.tsx'), 'NoConversation'),
});

const conversationRoute = createRoute({
  getParentRoute: () => conversationsRoute,
  path: '$conversationId',
  component: lazyRouteComponent(() => import('./conversation-page.tsx'), 'ConversationPage'),
});

export const conversationRoutes = conversationsRoute.addChildren([noConversationRoute, conversationRoute]);
