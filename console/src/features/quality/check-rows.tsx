import type { BotDetail, Check } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { Button } from '../../components/ui/button.tsx';
import { Input } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { documentsQuery } from '../documents/documents.queries.ts';
import { caseMessages } from './cases.messages.ts';

type Kind = Check['kind'];

/** The member of each kind that has a value. */
const members = {
  contains: 'text',
  lacks: 'text',
  cites_pair: 'question',
  cites_document: 'document_id',
  calls_action: 'name',
  calls_none: null,
  hands_over: null,
  silent: null,
  asks_back: null,
  language: 'language',
  max_cost: 'value',
  max_ms: 'value',
  judge: 'criterion',
} as const satisfies Record<Kind, keyof Check | null>;
const kinds = Object.keys(members) as Kind[];
const maxChecks = 20;

/** What must hold for the reply to a case. */
export function CheckRows({
  bot,
  checks,
  issues,
  onChange,
}: {
  bot: BotDetail;
  checks: readonly Check[];
  issues: Readonly<Record<string, string>>;
  onChange: (checks: Check[]) => void;
}) {
  const t = useMessages(caseMessages);
  const { number } = useFormats();
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 font-medium">{t.checks}</legend>
      {checks.length === 0 && <p className="text-muted text-[0.8125rem]">{t.checksHint}</p>}
      {checks.map((check, index) => {
        const position = number(index + 1);
        const issue = Object.entries(issues).find(([path]) => path.startsWith(`checks[${index}]`))?.[1];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no ids, and an edited value must keep its field
          <div key={index} className="grid gap-1">
            <div className="flex flex-wrap items-center gap-2 sm:flex-nowrap">
              <Select
                label={t.check(position)}
                value={check.kind}
                className="w-52 shrink-0"
                choices={kinds.map((value) => ({ value, label: t.kinds[value] }))}
                onChange={(kind) => onChange(checks.with(index, { kind }))}
              />
              <CheckValue
                bot={bot}
                check={check}
                label={t.value(position)}
                onChange={(changed) => onChange(checks.with(index, changed))}
              />
              <Button
                look="ghost"
                size="iconSmall"
                className="text-muted"
                aria-label={t.removeCheck(position)}
                onClick={() => onChange(checks.toSpliced(index, 1))}
              >
                <Trash2 aria-hidden className="size-4" />
              </Button>
            </div>
            {issue !== undefined && <p className="text-danger text-[0.8125rem]">{issue}</p>}
          </div>
        );
      })}
      {checks.length < maxChecks && (
        <div>
          <Button size="small" onClick={() => onChange([...checks, { kind: 'contains', text: '' }])}>
            <Plus aria-hidden className="size-4" />
            {t.addCheck}
          </Button>
        </div>
      )}
    </fieldset>
  );
}

function CheckValue({
  bot,
  check,
  label,
  onChange,
}: {
  bot: BotDetail;
  check: Check;
  label: string;
  onChange: (check: Check) => void;
}) {
  const member = members[check.kind];
  const { data: documents } = useQuery({
    ...documentsQuery({ team_id: bot.team_id }),
    enabled: check.kind === 'cites_document',
  });
  if (member === null) return null;
  const set = (value: string | number) => onChange({ ...check, [member]: value });
  const value = check[member];
  const choices = choicesOf(check.kind, bot, documents?.data ?? []);
  if (choices === null)
    return (
      <Input
        aria-label={label}
        type={member === 'value' ? 'number' : 'text'}
        min={0}
        step="any"
        value={value ?? ''}
        onChange={({ target }) => set(member === 'value' ? target.valueAsNumber || 0 : target.value)}
      />
    );
  // A question or document that was chosen may have been deleted since.
  const known = choices.some((choice) => choice.value === value) ? [] : [String(value ?? '')];
  return (
    <Select
      label={label}
      className="min-w-0 flex-1"
      value={String(value ?? '')}
      choices={[...known.map((text) => ({ value: text, label: text })), ...choices]}
      onChange={set}
    />
  );
}

function choicesOf(kind: Kind, bot: BotDetail, documents: readonly { id: string; name: string }[]) {
  if (kind === 'cites_pair')
    return bot.questions.map(({ question }) => ({ value: question, label: question }));
  if (kind === 'calls_action') return bot.actions.map(({ name }) => ({ value: name, label: name }));
  if (kind === 'cites_document') return documents.map(({ id, name }) => ({ value: id, label: name }));
  return null;
}
