import type { Pool } from '@parley/sdk';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Server } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useMay } from '../../app/use-may.ts';
import type { Column } from '../../components/columns.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Page } from '../../components/page.tsx';
import { Badge } from '../../components/ui/badge.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Meter } from '../../components/ui/meter.tsx';
import { useListSearch } from '../../components/use-list-search.ts';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { poolsMessages } from './pools.messages.ts';

const route = getRouteApi('/pools');

export function PoolsPage() {
  const t = useMessages(poolsMessages);
  const list = useListSearch(route.useSearch());
  const { page } = list;
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: ['pools', page],
    queryFn: ({ signal }) => api.listPools({ page, limit: 100 }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 3_000,
  });
  const [asked, setAsked] = useState<Pool | null>(null);
  /** Pools on other pages may have room. */
  const hasRoom = (pool: Pool): boolean =>
    (query.data?.meta.totalPages ?? 1) > 1 ||
    query.data?.data.some(
      ({ id, alive, draining, devices, capacity }) =>
        id !== pool.id && alive && !draining && devices < capacity,
    ) === true;
  const columns = useColumns(setAsked, hasRoom);
  const drain = async () => {
    if (asked === null) return;
    await api.drainPool({ id: asked.id });
    await queries.invalidateQueries({ queryKey: ['pools'] });
  };
  return (
    <Page title={t.title} description={t.intro}>
      <DataTable
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        caption={t.title}
        list={list}
        empty={
          <EmptyState icon={Server} title={t.empty}>
            {t.emptyHint}
          </EmptyState>
        }
      />
      <ConfirmDialog
        open={asked !== null}
        onOpenChange={() => setAsked(null)}
        title={t.drainTitle(asked?.url ?? '')}
        consequences={[
          t.drainEffects.move,
          ...(asked === null || hasRoom(asked) ? [] : [t.drainEffects.noRoom]),
          t.drainEffects.cancel,
        ]}
        action={t.drain}
        danger={false}
        onConfirm={drain}
      />
    </Page>
  );
}

function useColumns(onDrain: (pool: Pool) => void, hasRoom: (pool: Pool) => boolean): Column<Pool>[] {
  const t = useMessages(poolsMessages);
  const common = useMessages(commonMessages);
  const { number, ago } = useFormats();
  const mayDrain = useMay()('drainPool');
  return [
    {
      name: t.pool,
      cell: (pool) => (
        <Meter
          label={pool.url}
          used={pool.devices}
          limit={pool.capacity}
          text={t.places(number(pool.devices), number(pool.capacity))}
        />
      ),
    },
    { name: common.status, cell: (pool) => <PoolStatus pool={pool} hasRoom={hasRoom(pool)} /> },
    { name: t.connected, align: 'end', hideBelow: 'sm', cell: (pool) => number(pool.connected) },
    {
      name: t.lease,
      hideBelow: 'md',
      cell: (pool) => (
        <span className="whitespace-nowrap text-muted tabular-nums">
          {pool.alive ? t.leaseRemaining(number(Math.round(pool.lease_remaining_seconds))) : t.leaseExpired}
        </span>
      ),
    },
    {
      name: t.started,
      hideBelow: 'lg',
      cell: (pool) => <span className="whitespace-nowrap text-muted">{ago(pool.started_at)}</span>,
    },
    {
      name: common.more,
      hideName: true,
      align: 'end',
      cell: (pool) =>
        mayDrain &&
        pool.alive &&
        !pool.draining && (
          <Button size="small" aria-label={`${t.drain}: ${pool.url}`} onClick={() => onDrain(pool)}>
            {t.drain}…
          </Button>
        ),
    },
  ];
}

function PoolStatus({ pool, hasRoom }: { pool: Pool; hasRoom: boolean }) {
  const t = useMessages(poolsMessages);
  if (!pool.alive) return <Badge tone="danger">{t.dead}</Badge>;
  if (!pool.draining) return <Badge tone="success">{t.alive}</Badge>;
  return (
    <div className="grid justify-items-start gap-0.5 whitespace-nowrap">
      <Badge tone="warning">{t.draining}</Badge>
      <span role="status" className="text-muted text-xs">
        {pool.devices === 0 ? t.drained : t.left(pool.devices)}
      </span>
      {pool.devices > 0 && !hasRoom && <span className="text-danger text-xs">{t.noRoom}</span>}
    </div>
  );
}
