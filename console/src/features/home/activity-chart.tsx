import type { ActivityHour } from '@parley/sdk';
import { Card } from '../../components/ui/card.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { cn } from '../../lib/class-names.ts';
import { homeMessages } from './home.messages.ts';

const series = ['received', 'answers', 'others'] as const;
const fills = { received: 'fill-accent', answers: 'fill-success', others: 'fill-control' };
const backgrounds = { received: 'bg-accent', answers: 'bg-success', others: 'bg-control' };

/** The messages of the last 24 hours: a group of bars for each hour. */
export function ActivityChart({ hours }: { hours: readonly ActivityHour[] }) {
  const t = useMessages(homeMessages);
  const { number, time } = useFormats();
  const total = (name: (typeof series)[number]) => hours.reduce((sum, hour) => sum + hour[name], 0);
  const totals = series.map((name) => [name, `${t.series[name]}: ${number(total(name))}`] as const);
  const highest = Math.max(4, ...hours.flatMap((hour) => series.map((name) => hour[name])));
  const labelled = hours.filter((_, position) => position % 6 === 0);
  return (
    <Card title={t.activity} description={t.activityHint}>
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
            aria-label={`${t.activity}. ${totals.map(([, text]) => text).join(', ')}`}
            viewBox={`0 0 ${hours.length * 10} 100`}
            preserveAspectRatio="none"
            className="h-44 w-full border-y"
          >
            {hours.map((hour, position) => (
              <g key={hour.hour}>
                <title>
                  {`${time(hour.hour)}\n${series.map((name) => `${t.series[name]}: ${number(hour[name])}`).join('\n')}`}
                </title>
                <rect
                  x={position * 10}
                  width={10}
                  height={100}
                  className="fill-transparent hover:fill-hover"
                />
                {series.map((name, bar) => (
                  <rect
                    key={name}
                    x={position * 10 + 0.8 + bar * 2.8}
                    width={2.6}
                    y={100 - (hour[name] / highest) * 100}
                    height={(hour[name] / highest) * 100}
                    className={fills[name]}
                  />
                ))}
              </g>
            ))}
          </svg>
          <div aria-hidden className="mt-1.5 grid grid-cols-4 text-muted text-xs tabular-nums">
            {labelled.map(({ hour }) => (
              <span key={hour}>{time(hour)}</span>
            ))}
          </div>
        </div>
      </figure>
    </Card>
  );
}
