import type { Analytics } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { Loaded } from '../../components/loaded.tsx';
import { PlainTable } from '../../components/plain-table.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { Select } from '../../components/ui/select.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { formatTable } from '../../lib/csv.ts';
import { saveFile } from '../../lib/save-file.ts';
import { numbersMessages } from './numbers.messages.ts';
import { type DayCount, dayCounts, type NumbersOf, numbersQuery } from './numbers.queries.ts';
import { NumbersChart } from './numbers-chart.tsx';

/** The columns of the exported file, named as in the API. */
const exported = [
  'questions',
  'answered',
  'asked_back',
  'declined',
  'handed_over',
  'resolved_alone',
  'thumbs_up',
  'thumbs_down',
  'response_ms',
  'credits',
  'cost',
] as const;

/** How a bot, or the bots of a team, answered over the last days. */
export function NumbersPanel({ of, name }: { of: NumbersOf; name: string }) {
  const t = useMessages(numbersMessages);
  const [days, setDays] = useState<DayCount>('30');
  const query = useQuery(numbersQuery(of, days));
  const save = ({ periods }: Analytics) => {
    const rows = periods.map((period) => [
      period.start,
      ...exported.map((column) => String(period[column] ?? '')),
    ]);
    const table = formatTable([['start', ...exported], ...rows]);
    saveFile(new Blob([table], { type: 'text/csv' }), `${name} ${t.title}.csv`);
  };
  return (
    <div className="grid grid-cols-1 gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Select
          label={t.time}
          value={days}
          choices={dayCounts.map((value) => ({ value, label: t.lastDays(value) }))}
          onChange={setDays}
        />
        <Button disabled={query.data === undefined} onClick={() => query.data && save(query.data)}>
          <Download aria-hidden className="size-4" />
          {t.export}
        </Button>
      </div>
      <Loaded query={query}>{(analytics) => <Numbers analytics={analytics} />}</Loaded>
    </div>
  );
}

function Numbers({ analytics: { sum, periods, topics, languages, timezone } }: { analytics: Analytics }) {
  const t = useMessages(numbersMessages);
  const { number, percent } = useFormats();
  const share = (part: number) => (sum.questions === 0 ? '–' : percent(part / sum.questions));
  const facts = [
    ['questions', number(sum.questions)],
    ['answered', share(sum.answered)],
    ['resolved_alone', share(sum.resolved_alone)],
    ['handed_over', share(sum.handed_over)],
    ['response_ms', sum.response_ms === null ? '–' : t.seconds(number(sum.response_ms / 1000))],
    ['thumbs', `👍 ${number(sum.thumbs_up)}  👎 ${number(sum.thumbs_down)}`],
    ['credits', number(sum.credits)],
    ['cost', sum.cost === null ? t.unknown : number(sum.cost)],
  ] as const;
  return (
    <>
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {facts.map(([fact, value]) => (
          <div key={fact} className="rounded-xl border bg-card p-4">
            <dt className="text-muted text-[0.8125rem]">{t.numbers[fact]}</dt>
            <dd className="mt-1 font-semibold text-lg tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <Card title={t.chart} description={t.chartHint(timezone)}>
        <NumbersChart periods={periods} />
      </Card>
      {topics.length > 0 && (
        <Card title={t.topics} description={t.topicsHint} flush>
          <NamedTable
            caption={t.topics}
            rows={topics}
            columns={['questions', 'answered', 'declined', 'handed_over']}
          />
        </Card>
      )}
      {languages.length > 0 && (
        <Card title={t.languages} flush>
          <NamedTable
            caption={t.languages}
            rows={languages.map(({ language, ...row }) => ({ name: language, ...row }))}
            columns={['questions', 'answered', 'declined']}
          />
        </Card>
      )}
    </>
  );
}

type Named = Analytics['topics'][number];
type Counted = Exclude<keyof Named, 'name'>;

function NamedTable({
  caption,
  rows,
  columns,
}: {
  caption: string;
  rows: readonly Named[];
  columns: readonly Counted[];
}) {
  const t = useMessages(numbersMessages);
  const { number } = useFormats();
  return (
    <PlainTable
      caption={caption}
      rows={rows}
      rowKey={({ name }) => name}
      columns={[
        { name: t.name, cell: ({ name }: Named) => <span className="block truncate">{name}</span> },
        ...columns.map((column, position) => ({
          name: t.numbers[column],
          align: 'end' as const,
          ...(position > 1 ? { hideBelow: 'sm' as const } : {}),
          cell: (row: Named) => number(row[column]),
        })),
      ]}
    />
  );
}
