import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useActor } from '../../app/use-session.ts';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { Skeleton } from '../../components/ui/skeleton.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { FirstRun } from '../first-run/first-run.tsx';
import { Attention } from './attention.tsx';
import { homeMessages } from './home.messages.ts';
import { type Overview, overviewQuery } from './home.queries.ts';
import { LiveState } from './live-state.tsx';

export function HomePage() {
  const t = useMessages(homeMessages);
  const isOperator = useActor().teamId === null;
  const query = useQuery(overviewQuery(isOperator));
  const [demoStarted, setDemoStarted] = useState(false);
  const showsFirstRun = demoStarted || (isOperator && query.data?.teams === 0);
  return (
    <Page title={t.title} actions={!showsFirstRun && <LiveState query={query} />}>
      {showsFirstRun ? (
        <FirstRun onStarted={() => setDemoStarted(true)} />
      ) : (
        <Loaded query={query} placeholder={<Placeholder />}>
          {(overview) => (
            <>
              <Counters overview={overview} isOperator={isOperator} />
              <Attention overview={overview} />
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
        name={t.devices}
        value={number(overview.connectedDevices)}
        note={t.ofDevices(number(overview.devices))}
      />
      <Counter
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
  /** Its list, if the console has a page for it. */
  to?: string;
  name: string;
  value: string;
  note?: string | undefined;
}) {
  const look = 'grid content-start rounded-xl border bg-card p-4 sm:p-5';
  const content = (
    <>
      <span className="text-muted">{name}</span>
      <span className="mt-1 text-2xl font-semibold tracking-tight tabular-nums">{value}</span>
      <span className="min-h-5 text-muted text-[0.8125rem]">{note}</span>
    </>
  );
  if (to === undefined) return <div className={look}>{content}</div>;
  return (
    <Link to={to} className={`${look} transition-colors hover:bg-surface`}>
      {content}
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
