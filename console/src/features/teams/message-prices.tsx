import type { TeamUsage } from '@parley/sdk';
import type { Column } from '../../components/columns.ts';
import { PlainTable } from '../../components/plain-table.tsx';
import { Card } from '../../components/ui/card.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { messagePricesMessages } from './message-prices.messages.ts';

type Price = TeamUsage['message_prices'][number];

/** What networks charged for messages in the month of `usage`. Shows nothing if they reported nothing. */
export function MessagePrices({ usage }: { usage: TeamUsage }) {
  const t = useMessages(messagePricesMessages);
  const { number, month } = useFormats();
  const prices = usage.message_prices;
  if (prices.length === 0) return null;
  const categories: Readonly<Record<string, string>> = t.categories;
  const columns: Column<Price>[] = [
    {
      name: t.category,
      cell: ({ category }) => <div className="truncate">{categories[category] ?? category}</div>,
    },
    { name: t.billed, align: 'end', cell: ({ billable }) => number(billable) },
    { name: t.free, align: 'end', cell: ({ not_billable: free }) => number(free) },
    {
      name: t.cost,
      align: 'end',
      cell: ({ amount, currency, without_price: unknown }) => (
        <>
          <div className="whitespace-nowrap">
            {amount === null ? t.unknown : [number(amount), currency].filter(Boolean).join(' ')}
          </div>
          {amount !== null && unknown > 0 && (
            <div className="text-muted text-[0.8125rem]">{t.withoutPrice(number(unknown))}</div>
          )}
        </>
      ),
    },
  ];
  return (
    <Card title={t.title(month(usage.active_messages.month))} description={t.hint} flush>
      <div className="border-t">
        <PlainTable
          columns={columns}
          rows={prices}
          rowKey={({ category, currency }) => `${category} ${currency}`}
          caption={t.title(month(usage.active_messages.month))}
        />
      </div>
    </Card>
  );
}
