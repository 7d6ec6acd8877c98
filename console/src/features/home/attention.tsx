import type { AttentionItem, AttentionOfKind } from '@parley/sdk';
import { Link } from '@tanstack/react-router';
import {
  Bot,
  BotOff,
  CircleCheck,
  FileWarning,
  Gauge,
  HardDrive,
  type LucideIcon,
  MessageCircleQuestion,
  MessageCircleWarning,
  Receipt,
  ServerOff,
  Sparkles,
  Unplug,
  WebhookOff,
} from 'lucide-react';
import type { AttentionKind } from '../../app/attention.ts';
import { reachable } from '../../app/navigation.ts';
import { settings } from '../../app/settings.ts';
import { useActor } from '../../app/use-session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Card } from '../../components/ui/card.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { quotaMessages } from '../../lib/quotas.messages.ts';
import { useReason } from '../devices/device-badge.tsx';
import { homeMessages } from './home.messages.ts';

interface KindView {
  icon: LucideIcon;
  /** The page at which to act. */
  to(item: AttentionItem): string;
  /** The list with all objects of the kind. */
  list: string;
}

const toConversation = ({ id }: AttentionItem) => `/conversations/${id}`;

const views: Record<AttentionKind, KindView> = {
  human_requested: {
    icon: MessageCircleWarning,
    to: toConversation,
    list: '/conversations?flag=human_requested',
  },
  unanswered: { icon: MessageCircleQuestion, to: toConversation, list: '/conversations?flag=unanswered' },
  payment_captured: { icon: Receipt, to: toConversation, list: '/conversations?flag=payment_captured' },
  automated_contact: { icon: Bot, to: toConversation, list: '/conversations?flag=automated_contact' },
  device: { icon: Unplug, to: ({ id }) => `/devices/${id}`, list: '/devices' },
  bot: { icon: BotOff, to: ({ id }) => `/bots/${id}`, list: '/bots' },
  webhook: { icon: WebhookOff, to: ({ id }) => `/webhooks/${id}?state=failed`, list: '/webhooks' },
  document: { icon: FileWarning, to: ({ team_id }) => `/documents?team=${team_id}`, list: '/documents' },
  quota: { icon: Gauge, to: ({ team_id }) => `/teams/${team_id}`, list: '/teams' },
  provider: {
    icon: Sparkles,
    to: () => '/conversations?flag=provider_failed',
    list: '/conversations?flag=provider_failed',
  },
  pool: { icon: ServerOff, to: () => '/pools', list: '/pools' },
  disk: { icon: HardDrive, to: () => '/pools', list: '/pools' },
};

export function Attention({ attention: { kinds } }: { attention: { kinds: readonly AttentionOfKind[] } }) {
  const t = useMessages(homeMessages);
  return (
    <Card title={t.attention} flush className="overflow-hidden">
      {kinds.length === 0 ? (
        <div className="-mt-6">
          <EmptyState icon={CircleCheck} title={t.allWell}>
            {t.allWellHint}
          </EmptyState>
        </div>
      ) : (
        kinds.map((found) => <KindSection key={found.kind} found={found} />)
      )}
    </Card>
  );
}

const shownItems = 5;

function KindSection({ found: { kind, count, items } }: { found: AttentionOfKind }) {
  const t = useMessages(homeMessages);
  const { number } = useFormats();
  const actor = useActor();
  const { list } = views[kind];
  const more = count - Math.min(items.length, shownItems);
  return (
    <section className="border-t">
      <h3 className="flex items-baseline justify-between gap-3 bg-surface px-5 py-2 font-medium text-[0.8125rem]">
        {t.kinds[kind]}
        <span className="text-muted tabular-nums">{number(count)}</span>
      </h3>
      <ul>
        {items.slice(0, shownItems).map((item) => (
          <Item key={item.id} kind={kind} item={item} />
        ))}
      </ul>
      {more > 0 && (
        <Link
          to={reachable(actor, list)}
          className="block border-t px-5 py-2 text-accent-text text-[0.8125rem] hover:bg-surface"
        >
          {t.more(number(more))}
        </Link>
      )}
    </section>
  );
}

function Item({ kind, item }: { kind: AttentionKind; item: AttentionItem }) {
  const { ago } = useFormats();
  const actor = useActor();
  const { icon: Icon, to } = views[kind];
  const { title, detail } = useTexts(kind, item);
  const details = [detail, item.team_name].filter((text) => text !== null && text !== title);
  return (
    <li className="border-t">
      <Link to={reachable(actor, to(item))} className="flex items-center gap-3 px-5 py-3 hover:bg-surface">
        <Icon aria-hidden className="size-4 shrink-0 text-warning" />
        <span className="min-w-0 flex-1">
          <span className="block font-medium wrap-anywhere">{title}</span>
          {details.length > 0 && (
            <span className="line-clamp-2 text-muted text-[0.8125rem] wrap-anywhere">
              {details.join(' · ')}
            </span>
          )}
        </span>
        {item.since !== null && (
          <span className="text-muted text-[0.8125rem] whitespace-nowrap">{ago(item.since)}</span>
        )}
      </Link>
    </li>
  );
}

interface Texts {
  title: string;
  detail: string | null;
}

function useTexts(kind: AttentionKind, { name, reason, used = 0, limit = 1 }: AttentionItem): Texts {
  const t = useMessages(homeMessages);
  const quotaLabels: Readonly<Record<string, string>> = useMessages(quotaMessages);
  const deviceReason = useReason(reason);
  const { number, percent } = useFormats();
  const failures: Readonly<Record<string, string>> = t.failures;
  const failure = failures[reason ?? ''] ?? reason;
  const quota = quotaLabels[reason ?? ''] ?? t.activeMessages;
  switch (kind) {
    case 'device':
      return {
        title: (reason === 'restricted' ? t.deviceRestricted : t.deviceDown)(name),
        detail: reason === 'not_linked' ? t.waitingForScan : deviceReason,
      };
    case 'bot':
      return {
        title: (reason === 'never_published' ? t.botNeverPublished : t.botChanged)(name),
        detail: null,
      };
    case 'webhook':
      return {
        title: reason === 'retrying' ? t.webhookFailing : t.webhookDisabled(settings.brand.name),
        detail: name,
      };
    case 'document':
      return { title: t.documentFailed(name), detail: null };
    case 'quota':
      return {
        title: (used < limit ? t.quotaNear : t.quotaReached)(name, quota),
        detail: t.quotaUse(number(used), number(limit), percent(used / limit)),
      };
    case 'provider':
      return { title: t.providerFailing, detail: failure };
    case 'pool':
      return { title: t.poolDead, detail: name };
    case 'disk':
      return { title: t.diskLow, detail: null };
    case 'unanswered':
      return reason === 'out_of_credits' || reason === 'bot_not_published'
        ? { title: t.flags[reason](name), detail: null }
        : { title: t.flags.provider_failed(name), detail: failure };
    default:
      return { title: t.flags[kind](name), detail: null };
  }
}
