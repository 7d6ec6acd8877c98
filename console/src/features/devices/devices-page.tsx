import type { Device } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Smartphone } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../app/use-may.ts';
import { usePageTitle } from '../../app/use-page-title.ts';
import { useActor } from '../../app/use-session.ts';
import { CreateButton } from '../../components/create-button.tsx';
import { NoMatch, Pager } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FilterChip } from '../../components/filter-chip.tsx';
import { ChoiceFilter, ListToolbar, TeamFilter } from '../../components/list-toolbar.tsx';
import { Page } from '../../components/page.tsx';
import { TeamName } from '../../components/team-name.tsx';
import { Skeleton } from '../../components/ui/skeleton.tsx';
import { useListSearch } from '../../components/use-list-search.ts';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { CreateDeviceDialog } from './create-device-dialog.tsx';
import { DeviceBadge, LastDisconnect } from './device-badge.tsx';
import { devicesMessages } from './devices.messages.ts';
import { botNameQuery, deviceFilters, devicesQuery } from './devices.queries.ts';
import { websiteMessages } from './website.messages.ts';

const route = getRouteApi('/devices');

export function DevicesPage() {
  const t = useMessages(devicesMessages);
  const words = useActor().teamId === null ? t : t.phones;
  const search = route.useSearch();
  const { page, isFiltered, isSearched, showPage, clearFilters } = useListSearch(search);
  const query = useQuery(devicesQuery(search));
  const [creating, setCreating] = useState(false);
  const create = useMay()('createDevice') && (
    <CreateButton label={words.create} onClick={() => setCreating(true)} />
  );
  const devices = query.data?.data;
  const isEmpty = devices?.length === 0;
  return (
    <Page
      title={usePageTitle('/devices')}
      description={words.intro}
      actions={(!isEmpty || isSearched) && create}
    >
      {(!isEmpty || isFiltered) && <Filters />}
      {query.isError && devices === undefined && (
        <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.isPending && <CardSkeletons />}
      {isEmpty && (
        <div className="rounded-xl border bg-card">
          {isSearched ? (
            <NoMatch onClear={clearFilters} />
          ) : (
            <EmptyState icon={Smartphone} title={words.empty} action={create}>
              {words.emptyHint}
            </EmptyState>
          )}
        </div>
      )}
      {devices !== undefined && devices.length > 0 && (
        <ul className="grid grid-cols-1 gap-4 sm:grid-cols-2 xl:grid-cols-3">
          {devices.map((device) => (
            <DeviceCard key={device.id} device={device} />
          ))}
        </ul>
      )}
      {query.data !== undefined && (
        <Pager page={page} totalPages={query.data.meta.totalPages} onPage={showPage} />
      )}
      <CreateDeviceDialog open={creating} onOpenChange={setCreating} teamId={search.team} />
    </Page>
  );
}

function Filters() {
  const t = useMessages(devicesMessages);
  const common = useMessages(commonMessages);
  const search = route.useSearch();
  const { filter } = useListSearch(search);
  return (
    <ListToolbar>
      <TeamFilter value={search.team} onChange={(team) => filter({ team })} />
      <ChoiceFilter
        label={common.status}
        all={t.allStates}
        value={search.state}
        onChange={(state) => filter({ state })}
        choices={deviceFilters.map((value) => ({ value, label: t.filters[value] }))}
      />
      {search.bot !== undefined && <BotFilter id={search.bot} onClear={() => filter({ bot: undefined })} />}
    </ListToolbar>
  );
}

function BotFilter({ id, onClear }: { id: string; onClear: () => void }) {
  const t = useMessages(devicesMessages);
  const name = useQuery(botNameQuery(id)).data;
  return <FilterChip label={`${t.bot}: ${name ?? '…'}`} onClear={onClear} />;
}

function DeviceCard({ device }: { device: Device }) {
  const { networks } = useMessages(websiteMessages);
  const t = useMessages(devicesMessages);
  const { teamId } = useActor();
  const bot = useQuery(botNameQuery(device.bot_id)).data;
  return (
    <li className="relative grid min-w-0 grid-cols-1 content-start gap-3 rounded-xl border bg-card p-5 transition-colors hover:bg-hover/50">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="truncate font-semibold">
            <Link
              to="/devices/$deviceId"
              params={{ deviceId: device.id }}
              className="after:absolute after:inset-0 after:rounded-xl"
            >
              {device.name}
            </Link>
          </h2>
          <p className="text-muted tabular-nums">
            {device.capabilities.phone_numbers
              ? (device.phone_number ?? t.notLinked)
              : networks[device.network]}
          </p>
        </div>
        <DeviceBadge device={device} />
      </div>
      <LastDisconnect device={device} />
      <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 border-t pt-3 text-[0.8125rem]">
        <dt className="text-muted">{t.bot}</dt>
        <dd className="truncate">{bot ?? '…'}</dd>
        {teamId === null && (
          <>
            <dt className="text-muted">{t.team}</dt>
            <dd className="truncate">
              <TeamName id={device.team_id} />
            </dd>
          </>
        )}
      </dl>
    </li>
  );
}

const CardSkeletons = () => (
  <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
    {[1, 2, 3].map((card) => (
      <Skeleton key={card} className="h-40 rounded-xl" />
    ))}
  </div>
);
