import type { TeamUsage } from '@parley/sdk';
import type { Column } from '../../components/columns.ts';
import { PlainTable } from '../../components/plain-table.tsx';
import { Card } from '../../components/ui/card.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { teamMessages } from './team.messages.ts';

type Model = TeamUsage['ai']['by_model'][number];

/** Tokens and cost of the month, in total and by model. Null means that the provider did not report a value. */
export function AiUsage({ usage }: { usage: TeamUsage['ai'] }) {
  const t = useMessages(teamMessages);
  const { number } = useFormats();
  const known = (value: number | null) => (value === null ? t.aiUnknown : number(value));
  if (usage.calls === 0) {
    return (
      <Card title={t.ai}>
        <p className="text-muted">{t.aiNone}</p>
      </Card>
    );
  }
  const totals = [
    [t.aiCost, known(usage.cost)],
    [t.aiCalls, number(usage.calls)],
    [t.aiInput, known(usage.input_tokens)],
    [t.aiOutput, known(usage.output_tokens)],
  ] as const;
  const column = (name: string, value: (row: Model) => number | null): Column<Model> => ({
    name,
    align: 'end',
    cell: (row) => known(value(row)),
  });
  const columns: Column<Model>[] = [
    {
      name: t.model,
      cell: ({ model, provider }) => (
        <div className="truncate">
          {model} <span className="text-muted">{provider}</span>
        </div>
      ),
    },
    column(t.aiCalls, ({ calls }) => calls),
    column(t.aiInput, ({ input_tokens: tokens }) => tokens),
    column(t.aiOutput, ({ output_tokens: tokens }) => tokens),
    column(t.aiCost, ({ cost }) => cost),
  ];
  return (
    <Card title={t.ai} flush>
      <dl className="grid grid-cols-2 gap-4 px-5 pb-5 sm:grid-cols-4">
        {totals.map(([name, value]) => (
          <div key={name}>
            <dt className="text-muted text-[0.8125rem]">{name}</dt>
            <dd className="text-lg font-semibold tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <div className="border-t">
        <PlainTable
          columns={columns}
          rows={usage.by_model}
          rowKey={({ provider, model }) => `${provider} ${model}`}
          caption={t.ai}
        />
      </div>
    </Card>
  );
}
