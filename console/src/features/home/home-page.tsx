import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { use, useState } from 'react';
import { attentionQuery } from '../../app/attention.ts';
import { LiveFeedContext } from '../../app/live-feed.ts';
import { useMay } from '../../app/use-may.ts';
import { useActor } from '../../app/use-session.ts';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { Skeleton } from '../../components/ui/skeleton.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { cn } from '../../lib/class-names.ts';
import { FirstRun } from '../first-run/first-run.tsx';
import { ActivityChart } from './activity-chart.tsx';
import { Attention } from './attention.tsx';
import { homeMessages } from './home.messages.ts';
import { activityQuery, type Overview, overviewQuery } from './home.queries.ts';

export function HomePage() {
  const t = useMessages(homeMessages);
  const isOperator = useActor().teamId === null;
  const query = useQuery(overviewQuery(isOperator));
  const activity = useQuery(activityQuery);
  const attention = useQuery(attentionQuery);
  const deadSince = use(LiveFeedContext);
  const failed = [query, attention].find(({ isRefetchError }) => isRefetchError);
  const [demoStarted, setDemoStarted] = useState(false);
  const mayStart = useMay()('createTeam');
  const showsFirstRun = demoStarted || (mayStart && query.data?.teams === 0);
  return (
    <Page
      title={t.title}
      actions={!showsFirstRun && <LiveState deadSince={failed?.dataUpdatedAt ?? deadSince} />}
    >
      {showsFirstRun ? (
        <FirstRun onStarted={() => setDemoStarted(true)} />
      ) : (
        <Loaded query={query} placeholder={<Placeholder />}>
          {(overview) => (
            <>
              <Counters overview={overview} isOperator={isOperator} />
              <Loaded query={attention} placeholder={<Skeleton className="h-56 rounded-xl" />}>
                {(found) => <Attention attention={found} />}
              </Loaded>
              <Loaded query={activity} placeholder={<Skeleton className="h-72 rounded-xl" />}>
                {(hours) => <ActivityChart hours={hours} />}
              </Loaded>
            </>
          )}
        </Loaded>
      )}
    </Page>
  );
}

function Counters({ overview, isOperator }: { overview: Overview; isOperator: boolean }) {
  const t = useMessages(homeMessages);
  const { number } = useFormats();
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
      {isOperator && <Counter to="/teams" name={t.teams} value={number(overview.teams)} />}
      <Counter
        to="/bots"
        name={t.bots}
        value={number(overview.bots)}
        note={overview.unpublishedBots > 0 ? t.unpublished(number(overview.unpublishedBots)) : undefined}
      />
      <Counter
        to="/devices"
        name={isOperator ? t.devices : t.phones}
        value={number(overview.connectedDevices)}
        note={t.ofDevices(number(overview.devices))}
      />
      <Counter
        to="/conversations"
        name={t.conversations}
        value={number(overview.conversations)}
        note={overview.pausedConversations > 0 ? t.paused(number(overview.pausedConversations)) : undefined}
      />
      {!isOperator && <Counter to="/documents" name={t.documents} value={number(overview.documents)} />}
    </div>
  );
}

function Counter({
  to,
  name,
  value,
  note,
}: {
  /** Its list. */
  to: string;
  name: string;
  value: string;
  note?: string | undefined;
}) {
  return (
    <Link
      to={to}
      className="grid content-start rounded-xl border bg-card p-4 transition-colors hover:bg-surface sm:p-5"
    >
      <span className="text-muted">{name}</span>
      <span className="mt-1 text-2xl font-semibold tracking-tight tabular-nums">{value}</span>
      <span className="min-h-5 text-muted text-[0.8125rem]">{note}</span>
    </Link>
  );
}

const Placeholder = () => (
  <div className="grid gap-6">
    <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
      {[1, 2, 3, 4].map((position) => (
        <Skeleton key={position} className="h-28 rounded-xl" />
      ))}
    </div>
    <Skeleton className="h-56 rounded-xl" />
  </div>
);

/** Says whether the figures are current: the live feed works and the last update did not fail. */
function LiveState({ deadSince }: { deadSince: number | null }) {
  const t = useMessages(homeMessages);
  const { time } = useFormats();
  const isLive = deadSince === null;
  return (
    <p
      role="status"
      className={cn('flex items-center gap-2 py-1.5 text-[0.8125rem]', isLive ? 'text-muted' : 'text-danger')}
    >
      <span aria-hidden className={cn('size-2 shrink-0 rounded-full', isLive ? 'bg-success' : 'bg-danger')} />
      {isLive ? t.live : `${t.notLive}. ${t.notLiveHint(time(new Date(deadSince).toISOString()))}`}
    </p>
  );
}
