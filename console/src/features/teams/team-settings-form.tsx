import type { TeamDetail } from '@parley/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { api, issuesOf } from '../../api/client.ts';
import { useEdited } from '../../app/use-edited.ts';
import { useActor } from '../../app/use-session.ts';
import { ConflictNotice, DifferentValues, RestoredNotice } from '../../components/edit-notices.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { Switch } from '../../components/ui/switch.tsx';
import { toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { type QuotaName, quotaMessages, quotaNames } from '../../lib/quotas.messages.ts';
import { plansQuery } from '../plans/plans.queries.ts';
import { teamMessages } from './team.messages.ts';
import { teamQuery } from './teams.queries.ts';

/** A form of a key of one team omits what only the operator may change. */
export function TeamSettingsForm({ team }: { team: TeamDetail }) {
  const t = useMessages(teamMessages);
  const common = useMessages(commonMessages);
  const isOperator = useActor().teamId === null;
  const queries = useQueryClient();
  const edited = useEdited({
    object: `team:${team.id}`,
    item: team,
    toValues,
    save: (sent, expected) =>
      api.updateTeam({ ...toUpdate(team, sent, isOperator), expected_updated_at: expected }),
    async reload() {
      await queries.invalidateQueries({ queryKey: ['teams'] });
      return queries.fetchQuery(teamQuery(team.id));
    },
    onSaved: () => toastSuccess(common.saved),
  });
  const { values, change, conflict } = edited;
  const issues = issuesOf(edited.error);
  const text = (name: Exclude<keyof TeamValues, 'paying' | 'notice' | 'quotas'>) => ({
    value: values[name],
    onChange: (event: { target: { value: string } }) => change({ [name]: event.target.value }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    edited.save();
  };
  return (
    <form onSubmit={submit} className="grid max-w-3xl gap-6">
      <RestoredNotice at={edited.restoredAt} onDiscard={edited.discard} />
      <Card>
        <div className="grid gap-5 sm:grid-cols-2">
          <Field label={t.name} error={issues['name']}>
            <Input required maxLength={100} {...text('name')} />
          </Field>
          {isOperator && (
            <PlanField
              value={values.plan}
              onChange={(plan) => change({ plan })}
              error={issues['plan_name']}
            />
          )}
          {isOperator && (
            <div className="sm:col-span-2">
              <Switch
                label={t.paying}
                hint={t.payingHint}
                checked={values.paying}
                onChange={(paying) => change({ paying })}
              />
            </div>
          )}
        </div>
      </Card>
      <Card title={t.answering}>
        <div className="grid gap-5 sm:grid-cols-2">
          <Field label={t.replyDelay} hint={t.replyDelayHint} error={issues['settings.reply_delay_seconds']}>
            <Input required type="number" min={0} max={60} {...text('replyDelay')} />
          </Field>
          <Field label={t.takeover} hint={t.takeoverHint} error={issues['settings.human_takeover_minutes']}>
            <Input required type="number" min={0} max={10_080} {...text('takeover')} />
          </Field>
          <Field label={t.locale} error={issues['settings.locale']}>
            <Input required maxLength={35} {...text('locale')} />
          </Field>
          <Field label={t.notice} hint={t.noticeHint} error={issues['settings.disclosure.mode']}>
            <Select
              value={values.notice}
              onChange={(notice) => change({ notice })}
              choices={noticeChoices.map((value) => ({ value, label: t.noticeChoices[value] }))}
            />
          </Field>
          {values.notice === 'off' && (
            <Field
              label={t.noticeReason}
              hint={t.noticeReasonHint}
              error={issues['settings.disclosure.reason']}
            >
              <Input required maxLength={500} {...text('noticeReason')} />
            </Field>
          )}
          <Field label={t.timezone} hint={t.timezoneHint} error={issues['settings.timezone']}>
            <Input required maxLength={64} list="time-zones" {...text('timezone')} />
            <datalist id="time-zones">
              {Intl.supportedValuesOf('timeZone').map((zone) => (
                <option key={zone} value={zone} />
              ))}
            </datalist>
          </Field>
        </div>
      </Card>
      {isOperator && (
        <QuotaFields
          team={team}
          plan={values.plan}
          values={values.quotas}
          onChange={(quotas) => change({ quotas })}
          issues={issues}
        />
      )}
      {edited.error !== null && Object.keys(issues).length === 0 && <ErrorNotice error={edited.error} />}
      {conflict !== null && (
        <ConflictNotice conflict={conflict} busy={edited.isSaving}>
          <DifferentValues {...conflict} labels={{ ...t, quotas: t.ownQuotas }} />
        </ConflictNotice>
      )}
      <div className="flex justify-end">
        <Button type="submit" look="primary" busy={edited.isSaving}>
          {common.save}
        </Button>
      </div>
    </form>
  );
}

interface TeamValues {
  name: string;
  plan: string;
  paying: boolean;
  replyDelay: string;
  takeover: string;
  locale: string;
  timezone: string;
  notice: (typeof noticeChoices)[number];
  noticeReason: string;
  quotas: Partial<Record<QuotaName, string>>;
}

const toValues = ({ name, plan_name: plan, paying, settings }: TeamDetail): TeamValues => ({
  name,
  plan,
  paying,
  replyDelay: String(settings.reply_delay_seconds),
  takeover: String(settings.human_takeover_minutes),
  locale: settings.locale,
  timezone: settings.timezone,
  notice: settings.disclosure?.mode ?? 'default',
  noticeReason: settings.disclosure?.reason ?? '',
  quotas: {},
});

const toUpdate = (team: TeamDetail, values: TeamValues, isOperator: boolean) => ({
  id: team.id,
  name: values.name,
  settings: {
    reply_delay_seconds: Number(values.replyDelay),
    human_takeover_minutes: Number(values.takeover),
    locale: values.locale,
    timezone: values.timezone,
    disclosure: toDisclosure(team, values),
  },
  ...(isOperator ? { plan_name: values.plan, paying: values.paying, quotas: toQuotas(values.quotas) } : {}),
});

const noticeChoices = ['default', 'first_reply', 'every_conversation', 'off'] as const;

/** Keeps the texts and the time, which only the API changes. */
function toDisclosure(
  { settings: { disclosure } }: TeamDetail,
  { notice, noticeReason }: Pick<TeamValues, 'notice' | 'noticeReason'>,
) {
  if (notice === 'default') return null;
  const { reason: _, ...kept } = disclosure ?? {};
  return { ...kept, mode: notice, ...(notice === 'off' ? { reason: noticeReason } : {}) };
}

/** An emptied field restores the plan's quota. An untouched one is not sent. */
const toQuotas = (quotas: Partial<Record<QuotaName, string>>) =>
  Object.fromEntries(
    Object.entries(quotas).map(([name, value]) => [name, value === '' ? null : Number(value)]),
  );

function PlanField({
  value,
  onChange,
  error,
}: {
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
}) {
  const t = useMessages(teamMessages);
  const plans = useQuery(plansQuery);
  const names = plans.data?.data.map(({ name }) => name) ?? [value];
  return (
    <Field label={t.plan} error={error}>
      <Select
        value={value}
        onChange={onChange}
        choices={names.map((name) => ({ value: name, label: name }))}
      />
    </Field>
  );
}

function QuotaFields({
  team,
  plan,
  values,
  onChange,
  issues,
}: {
  team: TeamDetail;
  plan: string;
  values: Partial<Record<QuotaName, string>>;
  onChange: (values: Partial<Record<QuotaName, string>>) => void;
  issues: Readonly<Record<string, string>>;
}) {
  const t = useMessages(teamMessages);
  const quotaTexts = useMessages(quotaMessages);
  const { number } = useFormats();
  const plans = useQuery(plansQuery);
  const planQuotas = plans.data?.data.find(({ name }) => name === plan)?.quotas;
  const own = (name: QuotaName) =>
    planQuotas === undefined || planQuotas[name] === team.quotas[name] ? '' : String(team.quotas[name]);
  return (
    <Card title={t.ownQuotas} description={t.ownQuotasHint}>
      <div className="grid gap-5 sm:grid-cols-2 lg:grid-cols-3">
        {quotaNames.map((name) => (
          <Field
            key={name}
            label={quotaTexts[name]}
            error={issues[`quotas.${name}`]}
            hint={planQuotas === undefined ? undefined : t.planQuota(number(planQuotas[name]))}
          >
            <Input
              type="number"
              min={0}
              max={2_147_483_647}
              value={values[name] ?? own(name)}
              onChange={(event) => onChange({ ...values, [name]: event.target.value })}
            />
          </Field>
        ))}
      </div>
    </Card>
  );
}
