import type { AnalyticsPeriod } from '@parley/sdk';
import { BarChart } from '../../components/bar-chart.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
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
  const total = (name: (typeof parts)[number]) => periods.reduce((sum, period) => sum + period[name], 0);
  const highest = Math.max(4, ...periods.map(({ questions }) => questions));
  return (
    <BarChart
      label={t.chart}
      highest={number(highest)}
      series={parts.map((name) => ({
        name,
        label: `${t.numbers[name]}: ${number(total(name))}`,
        background: backgrounds[name],
      }))}
      steps={periods.map((period) => {
        let y = 100;
        return {
          key: period.start,
          title: `${day(period.start)}\n${parts.map((name) => `${t.numbers[name]}: ${number(period[name])}`).join('\n')}`,
          bars: parts.map((name) => {
            const height = (period[name] / highest) * 100;
            y -= height;
            return { name, x: 1.5, width: 7, y, height, fill: fills[name] };
          }),
        };
      })}
      axis={
        <div aria-hidden className="mt-1.5 flex justify-between text-muted text-xs tabular-nums">
          {periods
            .filter((_, position) => position === 0 || position === periods.length - 1 || periods.length <= 7)
            .map(({ start }) => (
              <span key={start}>{day(start)}</span>
            ))}
        </div>
      }
    />
  );
}
