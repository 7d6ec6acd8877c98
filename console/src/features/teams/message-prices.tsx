import type { TeamUsage } from '@parley/sdk';
import { Card } from '../../components/ui/card.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { messagePricesMessages } from './message-prices.messages.ts';

/** What networks charged for messages in the month of `usage`. Shows nothing if they reported nothing. */
export function MessagePrices({ usage }: { usage: TeamUsage }) {
  const t = useMessages(messagePricesMessages);
  const { number, month } = useFormats();
  const prices = usage.message_prices;
  if (prices.length === 0) return null;
  const categories: Readonly<Record<string, string>> = t.categories;
  return (
    <Card title={t.title(month(usage.active_messages.month))} description={t.hint} flush>
      <div className="overflow-x-auto border-t">
        <table className="w-full">
          <thead>
            <tr className="text-left text-muted text-[0.8125rem]">
              {[t.category, t.billed, t.free, t.cost].map((name, position) => (
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
            {prices.map(({ category, currency, billable, not_billable, without_price, amount }) => (
              <tr key={`${category} ${currency}`} className="border-t">
                <td className="py-2.5 pr-3 pl-5">{categories[category] ?? category}</td>
                <td className="px-3 text-right tabular-nums">{number(billable)}</td>
                <td className="px-3 text-right tabular-nums">{number(not_billable)}</td>
                <td className="px-3 pr-5 text-right whitespace-nowrap tabular-nums">
                  {amount === null ? t.unknown : [number(amount), currency].filter(Boolean).join(' ')}
                  {amount !== null && without_price > 0 && (
                    <div className="text-muted text-[0.8125rem]">{t.withoutPrice(number(without_price))}</div>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
