import { Meter as BaseMeter } from '@base-ui/react/meter';
import { cn } from '../../lib/class-names.ts';

/** A bar of a quota. It warns from 80% on and turns red at the limit. */
export function Meter({
  label,
  used,
  limit,
  text,
}: {
  label: string;
  used: number;
  limit: number;
  text: string;
}) {
  const share = limit === 0 ? (used > 0 ? 1 : 0) : used / limit;
  const tone = share >= 1 ? 'bg-danger' : share >= 0.8 ? 'bg-warning' : 'bg-accent';
  return (
    <BaseMeter.Root
      value={Math.min(share, 1) * 100}
      aria-valuetext={text}
      className="grid min-w-0 grid-cols-1 gap-1.5"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <BaseMeter.Label className="min-w-0 wrap-anywhere">{label}</BaseMeter.Label>
        <span className="text-muted text-[0.8125rem] whitespace-nowrap tabular-nums">{text}</span>
      </div>
      <BaseMeter.Track className="h-1.5 overflow-hidden rounded-full bg-hover">
        <BaseMeter.Indicator className={cn('h-full rounded-full transition-[width] duration-500', tone)} />
      </BaseMeter.Track>
    </BaseMeter.Root>
  );
}
