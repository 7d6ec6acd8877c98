import type { Pool } from '@parley/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Server } from 'lucide-react';
import { api } from '../../api/client.ts';
import type { Column } from '../../components/columns.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Page } from '../../components/page.tsx';
import { Badge } from '../../components/ui/badge.tsx';
import { Meter } from '../../components/ui/meter.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { poolsMessages } from './pools.messages.ts';

const route = getRouteApi('/pools');

export function PoolsPage() {
  const t = useMessages(poolsMessages);
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery({
    queryKey: ['pools', page],
    queryFn: ({ signal }) => api.listPools({ page }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 3_000,
  });
  return (
    <Page title={t.title} description={t.intro}>
      <DataTable
        query={query}
        columns={useColumns()}
        rowKey={({ id }) => id}
        caption={t.title}
        page={page}
        onPage={(chosen) => void navigate({ search: { page: chosen } })}
        empty={
          <EmptyState icon={Server} title={t.empty}>
            {t.emptyHint}
          </EmptyState>
        }
      />
    </Page>
  );
}

function useColumns(): Column<Pool>[] {
  const t = useMessages(poolsMessages);
  const common = useMessages(commonMessages);
  const { number, ago } = useFormats();
  return [
    {
      name: t.devices,
      cell: (pool) => (
        <Meter
          label={pool.url}
          used={pool.devices}
          limit={pool.capacity}
          text={t.places(number(pool.devices), number(pool.capacity))}
        />
      ),
    },
    { name: common.status, cell: (pool) => <PoolStatus pool={pool} /> },
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
  ];
}

function PoolStatus({ pool }: { pool: Pool }) {
  const t = useMessages(poolsMessages);
  if (!pool.alive) return <Badge tone="danger">{t.dead}</Badge>;
  return pool.draining ? <Badge tone="warning">{t.draining}</Badge> : <Badge tone="success">{t.alive}</Badge>;
}
