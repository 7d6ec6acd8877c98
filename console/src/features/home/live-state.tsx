import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { cn } from '../../lib/class-names.ts';
import { homeMessages } from './home.messages.ts';

/** Says whether the figures are current: the live feed works and the last update did not fail. */
export function LiveState({ deadSince }: { deadSince: number | null }) {
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
