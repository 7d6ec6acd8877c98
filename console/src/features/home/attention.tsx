import { Link } from '@tanstack/react-router';
import {
  CircleCheck,
  FileWarning,
  type LucideIcon,
  MessageCircleWarning,
  ServerOff,
  Unplug,
} from 'lucide-react';
import { EmptyState } from '../../components/empty-state.tsx';
import { Card } from '../../components/ui/card.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { homeMessages } from './home.messages.ts';
import type { Overview } from './home.queries.ts';

interface Item {
  key: string;
  icon: LucideIcon;
  title: string;
  detail?: string | undefined;
  at?: string | null;
  /** The object's page, if the console has one. */
  to?: string;
}

export function Attention({ overview }: { overview: Overview }) {
  const t = useMessages(homeMessages);
  const items = useItems(overview);
  return (
    <Card title={t.attention} flush className="overflow-hidden">
      {items.length === 0 ? (
        <div className="-mt-6">
          <EmptyState icon={CircleCheck} title={t.allWell}>
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
  const look = 'flex items-center gap-3 px-5 py-3';
  const content = (
    <>
      <Icon aria-hidden className="size-4 shrink-0 text-warning" />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{title}</span>
        {detail !== undefined && <span className="block truncate text-muted text-[0.8125rem]">{detail}</span>}
      </span>
      {at && <span className="text-muted text-[0.8125rem] whitespace-nowrap">{ago(at)}</span>}
    </>
  );
  return (
    <li className="border-b last:border-b-0">
      {to === undefined ? (
        <div className={look}>{content}</div>
      ) : (
        <Link to={to} className={`${look} hover:bg-surface`}>
          {content}
        </Link>
      )}
    </li>
  );
}

function useItems({ devicesDown, documentsFailed, flagged, poolsDead }: Overview): Item[] {
  const t = useMessages(homeMessages);
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
      detail: device.last_disconnect_reason ?? t.waitingForScan,
      at: device.last_disconnect_at,
    })),
    ...flagged.map((conversation) => ({
      key: conversation.id,
      icon: MessageCircleWarning,
      title: t.flags[conversation.flag ?? 'human_requested'](conversation.contact_number),
      detail: conversation.flag_reason,
      at: conversation.last_message_at,
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
