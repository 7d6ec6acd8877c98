import type { Hours, StoredHours } from '@parley/sdk';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import type { FormEvent } from 'react';
import { api } from '../../api/client.ts';
import { useEdited } from '../../app/use-edited.ts';
import { ConflictNotice, DifferentValues, RestoredNotice } from '../../components/edit-notices.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { Field, Input, Textarea } from '../../components/ui/field.tsx';
import { Switch } from '../../components/ui/switch.tsx';
import { toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { hoursMessages } from './hours.messages.ts';
import { formatTimes, parseTimes } from './open-times.ts';

const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
type Day = (typeof days)[number];

const hoursQuery = (team: string) =>
  queryOptions({
    queryKey: ['teams', 'hours', team],
    queryFn: ({ signal }) => api.getHours({ id: team }, { signal }),
  });

/** When people of the team are there, and what a contact who wants one hears at other times. */
export function HoursCard({ team }: { team: string }) {
  const t = useMessages(hoursMessages);
  const query = useQuery(hoursQuery(team));
  return (
    <Card title={t.title}>
      <Loaded query={query}>{(stored) => <HoursForm key={team} team={team} stored={stored} />}</Loaded>
    </Card>
  );
}

interface HoursValues {
  limited: boolean;
  week: Record<Day, string>;
  exceptions: { date: string; times: string }[];
  text: string;
}

function toValues({ hours }: StoredHours): HoursValues {
  const week = Object.fromEntries(days.map((day) => [day, formatTimes(hours?.week[day] ?? [])])) as Record<
    Day,
    string
  >;
  const exceptions = hours?.exceptions.map(({ date, times }) => ({ date, times: formatTimes(times) })) ?? [];
  return { limited: hours !== null, week, exceptions, text: hours?.text ?? '' };
}

/** The form does not submit times that cannot be read. */
const toHours = ({ week, exceptions, text }: HoursValues): Hours => ({
  week: Object.fromEntries(days.map((day) => [day, parseTimes(week[day]) ?? []])) as Hours['week'],
  exceptions: exceptions.map(({ date, times }) => ({ date, times: parseTimes(times) ?? [] })),
  text: text.trim(),
});

function HoursForm({ team, stored }: { team: string; stored: StoredHours }) {
  const t = useMessages(hoursMessages);
  const common = useMessages(commonMessages);
  const queries = useQueryClient();
  const edited = useEdited({
    object: `hours:${team}`,
    item: stored,
    toValues,
    save: (values, expected) =>
      api.putHours({
        id: team,
        expected_updated_at: expected,
        ...(values.limited ? { hours: toHours(values) } : {}),
      }),
    async reload() {
      return queries.fetchQuery({ ...hoursQuery(team), staleTime: 0 });
    },
    async onSaved() {
      toastSuccess(common.saved);
      await queries.invalidateQueries({ queryKey: hoursQuery(team).queryKey });
    },
  });
  const { values, change, conflict } = edited;
  const { week, exceptions, limited } = values;
  const isReadable = [...Object.values(week), ...exceptions.map(({ times }) => times)].every(
    (times) => parseTimes(times) !== null,
  );
  const problem = (times: string) => (parseTimes(times) === null ? t.unreadable : undefined);
  const changeException = (position: number, changed: Partial<HoursValues['exceptions'][number]>) =>
    change({
      exceptions: exceptions.map((day, index) => (index === position ? { ...day, ...changed } : day)),
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!limited || isReadable) edited.save();
  };
  return (
    <form onSubmit={submit} className="grid grid-cols-1 gap-5">
      <RestoredNotice at={edited.restoredAt} onDiscard={edited.discard} />
      <Switch
        label={t.limited}
        hint={stored.hours === null ? t.limitedHint : stored.open ? t.openNow : t.closedNow}
        checked={limited}
        onChange={(next) => change({ limited: next })}
      />
      {limited && (
        <>
          <p className="text-muted text-[0.8125rem]">{t.timesHint(stored.timezone)}</p>
          <div className="grid gap-4 sm:grid-cols-2">
            {days.map((day) => (
              <Field key={day} label={t.days[day]} error={problem(week[day])}>
                <Input
                  maxLength={80}
                  placeholder={t.closed}
                  value={week[day]}
                  onValueChange={(times) => change({ week: { ...week, [day]: times } })}
                />
              </Field>
            ))}
          </div>
          <fieldset className="grid min-w-0 grid-cols-1 gap-3">
            <legend className="mb-2 font-medium">{t.exceptions}</legend>
            {exceptions.map(({ date, times }, position) => (
              <div
                // biome-ignore lint/suspicious/noArrayIndexKey: two new days may be equal
                key={position}
                className="grid grid-cols-[1fr_auto] items-start gap-3 sm:grid-cols-[11rem_1fr_auto]"
              >
                <Field label={t.date}>
                  <Input
                    required
                    type="date"
                    value={date}
                    onValueChange={(next) => changeException(position, { date: next })}
                  />
                </Field>
                <Button
                  look="ghost"
                  size="iconSmall"
                  className="mt-7 sm:order-last"
                  aria-label={t.remove(date)}
                  onClick={() => change({ exceptions: exceptions.filter((_, index) => index !== position) })}
                >
                  <X aria-hidden className="size-4" />
                </Button>
                <Field label={t.times} error={problem(times)} className="max-sm:col-span-2">
                  <Input
                    maxLength={80}
                    placeholder={t.closed}
                    value={times}
                    onValueChange={(next) => changeException(position, { times: next })}
                  />
                </Field>
              </div>
            ))}
            <Button
              className="justify-self-start"
              disabled={exceptions.length >= 100}
              onClick={() => change({ exceptions: [...exceptions, { date: '', times: '' }] })}
            >
              {t.addException}
            </Button>
          </fieldset>
          <Field label={t.text} hint={t.textHint}>
            <Textarea
              required
              maxLength={1000}
              rows={2}
              placeholder={t.textExample}
              value={values.text}
              onChange={(event) => change({ text: event.target.value })}
            />
          </Field>
        </>
      )}
      {edited.error !== null && <ErrorNotice error={edited.error} />}
      {conflict !== null && (
        <ConflictNotice conflict={conflict} busy={edited.isSaving}>
          <DifferentValues
            yours={{ hours: JSON.stringify(toHours(conflict.yours)) }}
            theirs={{ hours: JSON.stringify(toHours(conflict.theirs)) }}
            labels={{ hours: t.title }}
          />
        </ConflictNotice>
      )}
      <div className="flex justify-end">
        <Button type="submit" look="primary" busy={edited.isSaving} disabled={limited && !isReadable}>
          {t.save}
        </Button>
      </div>
    </form>
  );
}
