import {
  Bot,
  FileText,
  Gauge,
  House,
  Inbox,
  KeyRound,
  type LucideIcon,
  ScrollText,
  Server,
  Settings,
  Smartphone,
  TabletSmartphone,
  UserRound,
  Users,
  WebhookIcon,
} from 'lucide-react';
import type { Session } from '../api/session.ts';
import type { AttentionKind } from './attention.ts';
import { mayCall, type Operation } from './may-call.ts';
import type { shellMessages } from './shell.messages.ts';

type Actor = Pick<Session, 'teamId' | 'role' | 'portal'>;
type PortalPage = NonNullable<Session['portal']>['pages'][number];

export interface NavigationItem {
  to: string;
  label: keyof (typeof shellMessages)['en'] & string;
  icon: LucideIcon;
  /** The operation without which the page is of no use. */
  needs: Operation;
  /** The name by which a portal opens the page. Absent: no portal does. */
  page?: PortalPage;
  /** Needs the simulated network. */
  simulator?: boolean;
  /** What its badge counts. */
  attention?: readonly AttentionKind[];
}

const home = { to: '/', label: 'home', icon: House, needs: 'listConversations', page: 'home' } as const;
const conversations = {
  to: '/conversations',
  label: 'conversations',
  icon: Inbox,
  needs: 'listConversations',
  page: 'conversations',
  attention: ['human_requested', 'unanswered', 'payment_captured'],
} as const satisfies NavigationItem;
const documents = {
  to: '/documents',
  label: 'documents',
  icon: FileText,
  needs: 'listDocuments',
  page: 'documents',
  attention: ['document'],
} as const satisfies NavigationItem;
const auditLog = { to: '/audit-log', label: 'auditLog', icon: ScrollText, needs: 'listAuditLog' } as const;

/** What the operator works with, and what only the operator administers. */
const partnerMenu: readonly NavigationItem[][] = [
  [
    home,
    conversations,
    { to: '/bots', label: 'bots', icon: Bot, needs: 'listBots', attention: ['bot'] },
    { to: '/devices', label: 'devices', icon: Smartphone, needs: 'listDevices', attention: ['device'] },
    documents,
    { to: '/teams', label: 'teams', icon: Users, needs: 'listTeams', attention: ['quota'] },
    { to: '/phone', label: 'phone', icon: TabletSmartphone, needs: 'listDevices', simulator: true },
  ],
  [
    { to: '/people', label: 'people', icon: UserRound, needs: 'listUsers' },
    { to: '/api-keys', label: 'apiKeys', icon: KeyRound, needs: 'listApiKeys' },
    { to: '/webhooks', label: 'webhooks', icon: WebhookIcon, needs: 'listWebhooks', attention: ['webhook'] },
    { to: '/plans', label: 'plans', icon: Gauge, needs: 'listPlans' },
    { to: '/pools', label: 'pools', icon: Server, needs: 'listPools', attention: ['pool', 'disk'] },
    auditLog,
  ],
];

/** In the words of somebody who works in one team. */
const teamMenu: readonly NavigationItem[] = [
  home,
  conversations,
  { to: '/bots', label: 'bot', icon: Bot, needs: 'listBots', page: 'bot', attention: ['bot'] },
  {
    to: '/devices',
    label: 'phones',
    icon: Smartphone,
    needs: 'listDevices',
    page: 'phones',
    attention: ['device'],
  },
  documents,
  { to: '/people', label: 'people', icon: UserRound, needs: 'listTeamMembers' },
  // What a team settles besides its own settings are its webhooks.
  {
    to: '/settings',
    label: 'settings',
    icon: Settings,
    needs: 'createWebhook',
    attention: ['quota', 'webhook'],
  },
];

/** Pages of a team to which its settings lead. */
export const teamSettingsPages: readonly NavigationItem[] = [
  { to: '/webhooks', label: 'webhooks', icon: WebhookIcon, needs: 'createWebhook' },
  auditLog,
];

/** Pages to which others lead. */
const furtherPages: readonly NavigationItem[] = [
  { to: '/contacts', label: 'contacts', icon: UserRound, needs: 'listContacts', page: 'conversations' },
  ...teamSettingsPages,
];

const isInPortal = ({ portal }: Actor, page: PortalPage | undefined): boolean =>
  portal === null || (page !== undefined && portal.pages.includes(page));

/** The groups of the menu. */
export function menuOf(actor: Actor): NavigationItem[][] {
  const groups = actor.teamId === null ? partnerMenu : [teamMenu];
  return groups.map((items) =>
    items.filter(({ needs, page }) => mayCall(actor, needs) && isInPortal(actor, page)),
  );
}

/** All pages that the actor can open by name, each once. */
export function pagesOf(actor: Actor): NavigationItem[] {
  const further = furtherPages.filter(({ needs, page }) => mayCall(actor, needs) && isInPortal(actor, page));
  return [...new Map([...menuOf(actor).flat(), ...further].map((item) => [item.to, item])).values()];
}

const everyItem = [...partnerMenu.flat(), ...teamMenu, ...teamSettingsPages];

/** Whether the page is one of the actor's. An unknown page says itself that it does not exist. */
export function canOpen(actor: Actor, pathname: string): boolean {
  const isPageOf = ({ to }: NavigationItem) => `/${pathname.split('/')[1] ?? ''}` === to;
  if (actor.portal !== null) {
    // Contacts belong to the conversations.
    return menuOf(actor)
      .flat()
      .some((item) => isPageOf(item) || (item.page === 'conversations' && pathname === '/contacts'));
  }
  // The report of a team is below its page, which the team itself finds in its settings.
  if (actor.teamId !== null && pathname === `/teams/${actor.teamId}/compliance`) return true;
  const own = [...menuOf(actor).flat(), ...(actor.teamId === null ? [] : teamSettingsPages)];
  return own.some((item) => isPageOf(item) && mayCall(actor, item.needs)) || !everyItem.some(isPageOf);
}

/** The page at which the actor begins: a portal may be without the home page. */
export function firstPage(actor: Actor | null): string {
  const [first] = actor?.portal == null ? [] : menuOf(actor).flat();
  return first?.to ?? '/';
}

/** Where the actor finds what `address` shows. What a team may not open is in its settings or on its home page. */
export function reachable(actor: Actor, address: string): string {
  if (canOpen(actor, address.split('?')[0] ?? '')) return address;
  return canOpen(actor, '/settings') ? '/settings?tab=overview' : '/';
}
