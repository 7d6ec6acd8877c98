import type { Device } from '@parley/sdk';
import { Link } from '@tanstack/react-router';
import {
  CircleCheck,
  FileWarning,
  Gauge,
  type LucideIcon,
  MessageCircleWarning,
  ServerOff,
  Unplug,
  WebhookOff,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { settings } from '../../app/settings.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Card } from '../../components/ui/card.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { quotaMessages } from '../../lib/quotas.messages.ts';
import { useReason } from '../devices/device-badge.tsx';
import { homeMessages } from './home.messages.ts';
import type { Overview } from './home.queries.ts';

interface Item {
  key: string;
  icon: LucideIcon;
  title: string;
  detail?: ReactNode;
  at?: string | null;
  /** The page at which to act. */
  to: string;
}

export function Attention({ overview }: { overview: Overview }) {
  const t = useMessages(homeMessages);
  const items = useItems(overview);
  return (
    <Card title={t.attention} flush className="overflow-hidden">
      {items.length === 0 ? (
        <div className="-mt-6">
          <EmptyState icon={CircleCheck} title={overview.isComplete ? t.allWell : t.latestWell}>
            {t.allWellHint}
          </EmptyState>
        </div>
      ) : (
        <ul className="border-t">
          {items.map(({ key, ...item }) => (
            <AttentionItem key={key} {...item} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function AttentionItem({ icon: Icon, title, detail, at, to }: Omit<Item, 'key'>) {
  const { ago } = useFormats();
  return (
    <li className="border-b last:border-b-0">
      <Link to={to} className="flex items-center gap-3 px-5 py-3 hover:bg-surface">
        <Icon aria-hidden className="size-4 shrink-0 text-warning" />
        <span className="min-w-0 flex-1">
          <span className="block font-medium wrap-anywhere">{title}</span>
          {detail !== undefined && (
            <span className="line-clamp-2 text-muted text-[0.8125rem] wrap-anywhere">{detail}</span>
          )}
        </span>
        {at && <span className="text-muted text-[0.8125rem] whitespace-nowrap">{ago(at)}</span>}
      </Link>
    </li>
  );
}

function useItems(overview: Overview): Item[] {
  const { devicesDown, documentsFailed, flagged, poolsDead, quotas, webhooksFailing } = overview;
  const t = useMessages(homeMessages);
  const quotaLabels = useMessages(quotaMessages);
  const { number, percent } = useFormats();
  return [
    ...poolsDead.map((pool) => ({
      key: pool.id,
      icon: ServerOff,
      title: t.poolDead,
      detail: pool.url,
      to: '/pools',
    })),
    ...devicesDown.map((device) => ({
      key: device.id,
      icon: Unplug,
      title: t.deviceDown(device.name),
      detail: <DisconnectReason device={device} />,
      at: device.last_disconnect_at,
      to: `/devices/${device.id}`,
    })),
    ...webhooksFailing.map((webhook) => ({
      key: webhook.id,
      icon: WebhookOff,
      title: webhook.disabled_reason === null ? t.webhookFailing : t.webhookDisabled(settings.brand.name),
      detail: webhook.url,
      at: webhook.disabled_at ?? webhook.failing_since,
      to: `/webhooks/${webhook.id}`,
    })),
    ...quotas.map(({ team_id, team_name, quota, used, limit }) => ({
      key: `${team_id} ${quota}`,
      icon: Gauge,
      title: (used < limit ? t.quotaNear : t.quotaReached)(
        team_name,
        quota === 'active_messages' ? t.activeMessages : quotaLabels[quota],
      ),
      detail: t.quotaUse(number(used), number(limit), percent(used / limit)),
      to: `/teams/${team_id}`,
    })),
    ...flagged.map((conversation) => ({
      key: conversation.id,
      icon: MessageCircleWarning,
      title: t.flags[conversation.flag ?? 'human_requested'](conversation.contact_number),
      detail: conversation.flag_reason,
      at: conversation.last_message_at,
      to: `/conversations/${conversation.id}`,
    })),
    ...documentsFailed.map((document) => ({
      key: document.id,
      icon: FileWarning,
      title: t.documentFailed(document.name),
      at: document.updated_at,
      to: `/documents?team=${document.team_id}`,
    })),
  ];
}

function DisconnectReason({ device }: { device: Device }) {
  const t = useMessages(homeMessages);
  const reason = useReason(device.last_disconnect_reason);
  return device.phone_number === null ? t.waitingForScan : reason;
}
