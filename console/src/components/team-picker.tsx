import { Combobox } from '@base-ui/react/combobox';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Check, ChevronsUpDown, X } from 'lucide-react';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { commonMessages } from '../i18n/common.messages.ts';
import { useMessages } from '../i18n/use-locale.ts';
import { cn } from '../lib/class-names.ts';
import { teamNameQuery } from './team-name.query.ts';

interface Choice {
  id: string;
  name: string;
}

/** Finds a team by its name among any number of teams. */
export function TeamPicker({
  value,
  onChange,
  label,
  className,
}: {
  value: string | null;
  onChange: (id: string | null) => void;
  /** For screen readers, if no field labels the control. */
  label?: string;
  className?: string;
}) {
  const t = useMessages(commonMessages);
  const [text, setText] = useState('');
  const chosenName = useQuery({ ...teamNameQuery(value ?? ''), enabled: value !== null }).data;
  const chosen: Choice | null = value === null ? null : { id: value, name: chosenName ?? '…' };
  const searched = text === chosenName ? '' : text.trim();
  const { data } = useQuery({
    queryKey: ['teams', 'picker', searched],
    queryFn: ({ signal }) =>
      api.listTeams({ limit: 20, ...(searched === '' ? {} : { name: searched }) }, { signal }),
    placeholderData: keepPreviousData,
  });
  const teams: Choice[] = (data?.data ?? []).map(({ id, name }) => ({ id, name }));
  return (
    <Combobox.Root
      items={teams}
      filter={null}
      value={chosen}
      onValueChange={(team) => onChange(team?.id ?? null)}
      onInputValueChange={setText}
      itemToStringLabel={({ name }) => name}
      isItemEqualToValue={(one, other) => one.id === other.id}
    >
      <div className={cn('relative', className)}>
        <Combobox.Input
          aria-label={label}
          placeholder={label ?? t.search}
          className="h-9 w-full rounded-lg border border-control bg-card pr-9 pl-3 text-ellipsis placeholder:text-muted focus:outline-2 focus:-outline-offset-1 focus:outline-accent-text"
        />
        {value === null ? (
          <Combobox.Icon className="pointer-events-none absolute inset-y-0 right-3 flex items-center">
            <ChevronsUpDown aria-hidden className="size-3.5 text-muted" />
          </Combobox.Icon>
        ) : (
          <Combobox.Clear
            aria-label={t.clear}
            className="absolute top-1.5 right-1.5 rounded p-1 text-muted hover:bg-hover"
          >
            <X aria-hidden className="size-4" />
          </Combobox.Clear>
        )}
      </div>
      <Combobox.Portal>
        <Combobox.Positioner className="z-50 outline-none" sideOffset={4}>
          <Combobox.Popup className="max-h-[min(20rem,var(--available-height))] w-(--anchor-width) min-w-52 overflow-y-auto rounded-lg border bg-raised p-1 shadow-popup">
            <Combobox.Empty className="px-3 py-2 text-muted empty:hidden">
              {data === undefined ? t.loading : searched === '' ? t.needsTeam : t.noMatch}
            </Combobox.Empty>
            <Combobox.List>
              {(team: Choice) => (
                <Combobox.Item
                  key={team.id}
                  value={team}
                  className="flex cursor-default items-center gap-2 rounded-md py-1.5 pr-3 pl-2 outline-none data-highlighted:bg-hover"
                >
                  <span className="size-4 shrink-0">
                    <Combobox.ItemIndicator>
                      <Check aria-hidden className="size-4 text-accent-text" />
                    </Combobox.ItemIndicator>
                  </span>
                  <span className="min-w-0 truncate">{team.name}</span>
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}
