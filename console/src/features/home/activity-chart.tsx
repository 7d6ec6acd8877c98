import type { ActivityHour } from '@parley/sdk';
import { BarChart } from '../../components/bar-chart.tsx';
import { Card } from '../../components/ui/card.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { homeMessages } from './home.messages.ts';

const series = ['received', 'answers', 'others'] as const;
const fills = { received: 'fill-accent', answers: 'fill-success', others: 'fill-control' };
const backgrounds = { received: 'bg-accent', answers: 'bg-success', others: 'bg-control' };

/** The messages of the last 24 hours: a group of bars for each hour. */
export function ActivityChart({ hours }: { hours: readonly ActivityHour[] }) {
  const t = useMessages(homeMessages);
  const { number, time } = useFormats();
  const total = (name: (typeof series)[number]) => hours.reduce((sum, hour) => sum + hour[name], 0);
  const highest = Math.max(4, ...hours.flatMap((hour) => series.map((name) => hour[name])));
  return (
    <Card title={t.activity} description={t.activityHint}>
      <BarChart
        label={t.activity}
        highest={number(highest)}
        series={series.map((name) => ({
          name,
          label: `${t.series[name]}: ${number(total(name))}`,
          background: backgrounds[name],
        }))}
        steps={hours.map((hour) => ({
          key: hour.hour,
          title: `${time(hour.hour)}\n${series.map((name) => `${t.series[name]}: ${number(hour[name])}`).join('\n')}`,
          bars: series.map((name, bar) => {
            const height = (hour[name] / highest) * 100;
            return { name, x: 0.8 + bar * 2.8, width: 2.6, y: 100 - height, height, fill: fills[name] };
          }),
        }))}
        axis={
          <div aria-hidden className="mt-1.5 grid grid-cols-4 text-muted text-xs tabular-nums">
            {hours
              .filter((_, position) => position % 6 === 0)
              .map(({ hour }) => (
                <span key={hour}>{time(hour)}</span>
              ))}
          </div>
        }
      />
    </Card>
  );
}
