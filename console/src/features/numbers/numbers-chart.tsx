import type { AnalyticsPeriod } from '@parley/sdk';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { cn } from '../../lib/class-names.ts';
import { numbersMessages } from './numbers.messages.ts';

const parts = ['answered', 'asked_back', 'declined', 'handed_over'] as const;
const fills = {
  answered: 'fill-success',
  asked_back: 'fill-accent',
  declined: 'fill-danger',
  handed_over: 'fill-warning',
};
const backgrounds = {
  answered: 'bg-success',
  asked_back: 'bg-accent',
  declined: 'bg-danger',
  handed_over: 'bg-warning',
};

/** A stacked bar for each period: what the replies were. */
export function NumbersChart({ periods }: { periods: readonly AnalyticsPeriod[] }) {
  const t = useMessages(numbersMessages);
  const { number, day } = useFormats();
  const highest = Math.max(4, ...periods.map(({ questions }) => questions));
  const totals = parts.map((name) => {
    const count = periods.reduce((sum, period) => sum + period[name], 0);
    return [name, `${t.numbers[name]}: ${number(count)}`] as const;
  });
  const labelled = periods.filter(
    (_, position) => position === 0 || position === periods.length - 1 || periods.length <= 7,
  );
  return (
    <figure>
      <figcaption className="mb-6 flex flex-wrap gap-x-5 gap-y-1 text-[0.8125rem]">
        {totals.map(([name, text]) => (
          <span key={name} className="flex items-center gap-2">
            <span aria-hidden className={cn('size-2.5 rounded-xs', backgrounds[name])} />
            {text}
          </span>
        ))}
      </figcaption>
      <div className="relative">
        <span aria-hidden className="absolute -top-5 right-0 text-muted text-xs tabular-nums">
          {number(highest)}
        </span>
        <svg
          role="img"
          aria-label={`${t.chart}. ${totals.map(([, text]) => text).join(', ')}`}
          viewBox={`0 0 ${periods.length * 10} 100`}
          preserveAspectRatio="none"
          className="h-44 w-full border-y"
        >
          {periods.map((period, position) => {
            let top = 100;
            return (
              <g key={period.start}>
                <title>
                  {`${day(period.start)}\n${parts.map((name) => `${t.numbers[name]}: ${number(period[name])}`).join('\n')}`}
                </title>
                <rect
                  x={position * 10}
                  width={10}
                  height={100}
                  className="fill-transparent hover:fill-hover"
                />
                {parts.map((name) => {
                  const height = (period[name] / highest) * 100;
                  top -= height;
                  return (
                    <rect
                      key={name}
                      x={position * 10 + 1.5}
                      width={7}
                      y={top}
                      height={height}
                      className={fills[name]}
                    />
                  );
                })}
              </g>
            );
          })}
        </svg>
        <div aria-hidden className="mt-1.5 flex justify-between text-muted text-xs tabular-nums">
          {labelled.map(({ start }) => (
            <span key={start}>{day(start)}</span>
          ))}
        </div>
      </div>
    </figure>
  );
}
