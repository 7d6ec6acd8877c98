import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { cn } from '../../lib/class-names.ts';
import { homeMessages } from './home.messages.ts';
import { refreshMs } from './home.queries.ts';

/** Says whether the figures are current. They are not if updates have failed or stopped to arrive. */
export function LiveState({ query: { dataUpdatedAt, isError } }: { query: UseQueryResult<unknown> }) {
  const t = useMessages(homeMessages);
  const { time, ago } = useFormats();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  if (dataUpdatedAt === 0) return null;
  const updated = new Date(dataUpdatedAt).toISOString();
  const isLive = !isError && now - dataUpdatedAt < refreshMs * 4;
  return (
    <p
      role="status"
      title={isLive ? t.liveHint(ago(updated, now)) : undefined}
      className={cn('flex items-center gap-2 py-1.5 text-[0.8125rem]', isLive ? 'text-muted' : 'text-danger')}
    >
      <span aria-hidden className={cn('size-2 rounded-full', isLive ? 'bg-success' : 'bg-danger')} />
      {isLive ? t.live : `${t.notLive}. ${t.notLiveHint(time(updated))}`}
    </p>
  );
}
