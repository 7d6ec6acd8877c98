import type { ReactNode } from 'react';
import { useActor } from '../app/use-session.ts';
import { commonMessages } from '../i18n/common.messages.ts';
import { useMessages } from '../i18n/use-locale.ts';
import { TeamPicker } from './team-picker.tsx';
import { Select } from './ui/select.tsx';

/** The filters of a list. A filter without a value is undefined, as in the address of the list. */
export const ListToolbar = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-wrap gap-2 max-sm:[&>button]:flex-1">{children}</div>
);

interface Filter<Value> {
  value: Value | undefined;
  onChange: (value: Value | undefined) => void;
}

/** Nothing for a key of one team. */
export function TeamFilter({ value, onChange }: Filter<string>) {
  const t = useMessages(commonMessages);
  const { teamId } = useActor();
  return (
    teamId === null && (
      <TeamPicker
        label={t.allTeams}
        value={value ?? null}
        onChange={(id) => onChange(id ?? undefined)}
        // The placeholder is the present choice.
        className="w-full sm:w-56 [&_input]:placeholder:text-foreground"
      />
    )
  );
}

export function ChoiceFilter<Value extends string>({
  label,
  all,
  value,
  onChange,
  choices,
}: Filter<Value> & {
  label: string;
  /** The label of no filter. */
  all: string;
  choices: readonly { value: Value; label: string }[];
}) {
  return (
    <Select<Value | 'all'>
      label={label}
      value={value ?? 'all'}
      onChange={(chosen) => onChange(chosen === 'all' ? undefined : chosen)}
      choices={[{ value: 'all', label: all }, ...choices]}
    />
  );
}

export function FlagFilter({
  value,
  onChange,
  yes,
  no,
  ...texts
}: Filter<boolean> & { label: string; all: string; yes: string; no: string }) {
  return (
    <ChoiceFilter
      {...texts}
      value={value === undefined ? undefined : value ? 'yes' : 'no'}
      onChange={(chosen) => onChange(chosen === undefined ? undefined : chosen === 'yes')}
      choices={[
        { value: 'yes', label: yes },
        { value: 'no', label: no },
      ]}
    />
  );
}
