import type { BotAction } from '@parley/sdk';
import { Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../components/ui/button.tsx';
import { Input } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { actionsMessages } from './actions.messages.ts';

interface KeyValue {
  key: string;
  value: string;
}

type BodyItem = BotAction['body'][number];
const bodyTypes = ['string', 'number', 'boolean'] as const;

export function HeaderRows({
  rows,
  onChange,
}: {
  rows: readonly KeyValue[];
  onChange: (rows: readonly KeyValue[]) => void;
}) {
  const t = useMessages(actionsMessages);
  return <Rows legend={t.headers} rows={rows} newRow={{ key: '', value: '' }} onChange={onChange} />;
}

export function BodyRows({
  rows,
  onChange,
}: {
  rows: readonly BodyItem[];
  onChange: (rows: BodyItem[]) => void;
}) {
  const t = useMessages(actionsMessages);
  return (
    <Rows
      legend={t.body}
      hint={t.bodyHint}
      rows={rows}
      newRow={{ key: '', value: '', type: 'string' }}
      onChange={onChange}
      extra={(row, change) => (
        <Select
          label={t.valueType}
          value={row.type}
          onChange={(type) => change({ ...row, type })}
          choices={bodyTypes.map((value) => ({ value, label: value }))}
        />
      )}
    />
  );
}

function Rows<Row extends KeyValue>({
  legend,
  hint,
  rows,
  newRow,
  onChange,
  extra,
}: {
  legend: string;
  hint?: string;
  rows: readonly Row[];
  newRow: Row;
  onChange: (rows: Row[]) => void;
  extra?: (row: Row, change: (row: Row) => void) => ReactNode;
}) {
  const t = useMessages(actionsMessages);
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 font-medium">{legend}</legend>
      {hint !== undefined && rows.length > 0 && <p className="text-muted text-[0.8125rem]">{hint}</p>}
      {rows.map((row, position) => {
        const change = (changed: Row) => onChange(rows.with(position, changed));
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no ids, and an edited text must keep its field
          <div key={position} className="flex flex-wrap items-center gap-2 sm:flex-nowrap">
            <Input
              aria-label={`${legend}: ${t.key} ${position + 1}`}
              placeholder={t.key}
              value={row.key}
              onChange={(event) => change({ ...row, key: event.target.value })}
            />
            <Input
              aria-label={`${legend}: ${t.value} ${position + 1}`}
              placeholder={t.value}
              value={row.value}
              onChange={(event) => change({ ...row, value: event.target.value })}
            />
            {extra?.(row, change)}
            <Button
              look="ghost"
              size="iconSmall"
              className="text-muted"
              aria-label={t.removeRow(row.key || String(position + 1))}
              onClick={() => onChange(rows.filter((_, index) => index !== position))}
            >
              <Trash2 aria-hidden className="size-4" />
            </Button>
          </div>
        );
      })}
      <div>
        <Button
          size="small"
          aria-label={`${legend}: ${t.addRow}`}
          onClick={() => onChange([...rows, newRow])}
        >
          <Plus aria-hidden className="size-4" />
          {t.addRow}
        </Button>
      </div>
    </fieldset>
  );
}
