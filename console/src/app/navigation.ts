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
import type { shellMessages } from './shell.messages.ts';

interface NavigationItem {
  to: string;
  label: keyof (typeof shellMessages)['en'] & string;
  icon: LucideIcon;
  /** Needs a key that can access all teams. */
  global?: boolean;
  /** Needs the simulated network. */
  simulator?: boolean;
}

export const mainItems: readonly NavigationItem[] = [
  { to: '/', label: 'home', icon: House },
  { to: '/conversations', label: 'conversations', icon: Inbox },
  { to: '/bots', label: 'bots', icon: Bot },
  { to: '/devices', label: 'devices', icon: Smartphone },
  { to: '/documents', label: 'documents', icon: FileText },
  { to: '/teams', label: 'teams', icon: Users },
  { to: '/phone', label: 'phone', icon: TabletSmartphone, simulator: true },
];

export const administrationItems: readonly NavigationItem[] = [
  { to: '/api-keys', label: 'apiKeys', icon: KeyRound, global: true },
  { to: '/webhooks', label: 'webhooks', icon: WebhookIcon },
  { to: '/plans', label: 'plans', icon: Gauge, global: true },
  { to: '/pools', label: 'pools', icon: Server, global: true },
  { to: '/audit-log', label: 'auditLog', icon: ScrollText },
];
