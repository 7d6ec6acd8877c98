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
  Smartphone,
  TabletSmartphone,
  Users,
  WebhookIcon,
} from 'lucide-react';
import type { AttentionKind } from './attention.ts';
import type { shellMessages } from './shell.messages.ts';

interface NavigationItem {
  to: string;
  label: keyof (typeof shellMessages)['en'] & string;
  icon: LucideIcon;
  /** Needs a key that can access all teams. */
  global?: boolean;
  /** Needs the simulated network. */
  simulator?: boolean;
  /** What its badge counts. */
  attention?: readonly AttentionKind[];
}

export const mainItems: readonly NavigationItem[] = [
  { to: '/', label: 'home', icon: House },
  {
    to: '/conversations',
    label: 'conversations',
    icon: Inbox,
    attention: ['human_requested', 'unanswered', 'payment_captured'],
  },
  { to: '/bots', label: 'bots', icon: Bot, attention: ['bot'] },
  { to: '/devices', label: 'devices', icon: Smartphone, attention: ['device'] },
  { to: '/documents', label: 'documents', icon: FileText, attention: ['document'] },
  { to: '/teams', label: 'teams', icon: Users, attention: ['quota'] },
  { to: '/phone', label: 'phone', icon: TabletSmartphone, simulator: true },
];

export const administrationItems: readonly NavigationItem[] = [
  { to: '/api-keys', label: 'apiKeys', icon: KeyRound, global: true },
  { to: '/webhooks', label: 'webhooks', icon: WebhookIcon, attention: ['webhook'] },
  { to: '/plans', label: 'plans', icon: Gauge, global: true },
  { to: '/pools', label: 'pools', icon: Server, global: true, attention: ['pool', 'disk'] },
  { to: '/audit-log', label: 'auditLog', icon: ScrollText },
];
