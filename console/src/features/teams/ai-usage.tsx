import type { TeamUsage } from '@parley/sdk';
import { Card } from '../../components/ui/card.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { teamMessages } from './team.messages.ts';

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
      <div className="overflow-x-auto border-t">
        <table className="w-full">
          <thead>
            <tr className="text-left text-muted text-[0.8125rem]">
              {[t.model, t.aiCalls, t.aiInput, t.aiOutput, t.aiCost].map((name, position) => (
                <th
                  key={name}
                  scope="col"
                  className={`h-10 px-3 font-medium whitespace-nowrap first:pl-5 last:pr-5 ${position === 0 ? '' : 'text-right'}`}
                >
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {usage.by_model.map((model) => (
              <tr key={`${model.provider} ${model.model}`} className="border-t">
                <td className="py-2.5 pr-3 pl-5">
                  {model.model} <span className="text-muted">{model.provider}</span>
                </td>
                {[model.calls, model.input_tokens, model.output_tokens, model.cost].map((value, position) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the columns are fixed
                  <td key={position} className="px-3 text-right tabular-nums last:pr-5">
                    {known(value)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
