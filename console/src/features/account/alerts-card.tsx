import type { AlertSettings } from '@parley/sdk';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, issuesOf } from '../../api/client.ts';
import { loadSound, storeSound } from '../../app/preferences.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { Switch } from '../../components/ui/switch.tsx';
import { toastError, toastSuccess } from '../../components/ui/toast.tsx';
import { useLocale, useMessages } from '../../i18n/use-locale.ts';
import {
  canShowAlerts,
  pushDevice,
  rememberPushDevice,
  subscribeBrowser,
  unsubscribeBrowser,
} from '../../lib/push-device.ts';
import { alertsMessages } from './alerts.messages.ts';

const alertsQuery = queryOptions({
  queryKey: ['alert-settings'],
  queryFn: ({ signal }) => api.getAlertSettings(undefined, { signal }),
});

/** What the person hears of, by mail and in this browser. */
export function AlertsCard() {
  const t = useMessages(alertsMessages);
  const query = useQuery(alertsQuery);
  return (
    <Card title={t.title} description={t.hint}>
      <Loaded query={query}>{(settings) => <AlertsForm settings={settings} />}</Loaded>
    </Card>
  );
}

const waits = [1, 5, 15, 60];
const never = 'never';

function AlertsForm({ settings }: { settings: AlertSettings }) {
  const t = useMessages(alertsMessages);
  const { locale } = useLocale();
  const queries = useQueryClient();
  const [minutes, setMinutes] = useState(settings.mail_after_minutes);
  const [devices, setDevices] = useState(settings.devices);
  const [quiet, setQuiet] = useState(settings.quiet_hours !== null);
  const [from, setFrom] = useState(settings.quiet_hours?.from ?? '20:00');
  const [until, setUntil] = useState(settings.quiet_hours?.until ?? '08:00');
  const timezone = settings.quiet_hours?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const save = useMutation({
    mutationFn: () =>
      api.putAlertSettings({
        mail_after_minutes: minutes,
        push: settings.push,
        devices,
        quiet_hours: quiet ? { from, until, timezone } : null,
        team_ids: settings.team_ids,
        language: locale,
      }),
    onSuccess(saved) {
      queries.setQueryData(alertsQuery.queryKey, saved);
      toastSuccess(t.saved);
    },
  });
  const issues = issuesOf(save.error);
  const choices = [...new Set([...waits, ...(minutes === null ? [] : [minutes])])].toSorted((a, b) => a - b);
  return (
    <form
      className="grid gap-5"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <BrowserSwitch settings={settings} />
      <SoundSwitch />
      <Field
        label={t.mail}
        hint={settings.mail_possible ? t.mailHint : t.noMail}
        error={issues['mail_after_minutes']}
        className="max-w-xs"
      >
        <Select
          value={minutes === null ? never : String(minutes)}
          onChange={(value) => setMinutes(value === never ? null : Number(value))}
          choices={[
            ...choices.map((count) => ({ value: String(count), label: t.minutes(count) })),
            { value: never, label: t.never },
          ]}
        />
      </Field>
      <Switch label={t.devices} checked={devices} onChange={setDevices} />
      <Switch label={t.quiet} hint={t.quietHint} checked={quiet} onChange={setQuiet} />
      {quiet && (
        <div className="flex flex-wrap gap-4">
          <Field label={t.from} error={issues['quiet_hours.from']}>
            <Input type="time" required value={from} onValueChange={setFrom} />
          </Field>
          <Field label={t.until} hint={timezone} error={issues['quiet_hours.until']}>
            <Input type="time" required value={until} onValueChange={setUntil} />
          </Field>
        </div>
      )}
      {save.isError && Object.keys(issues).length === 0 && <ErrorNotice error={save.error} />}
      <div>
        <Button type="submit" look="primary" busy={save.isPending}>
          {t.save}
        </Button>
      </div>
    </form>
  );
}

/** Takes effect at once, because the browser asks the person. */
function BrowserSwitch({ settings }: { settings: AlertSettings }) {
  const t = useMessages(alertsMessages);
  const [device, setDevice] = useState(pushDevice);
  const [refused, setRefused] = useState(false);
  const remember = (id: string | null) => {
    rememberPushDevice(id);
    setDevice(id);
  };
  const change = useMutation({
    async mutationFn(on: boolean) {
      if (!on) {
        if (device !== null) await api.deletePushSubscription({ id: device }).catch(() => undefined);
        await unsubscribeBrowser();
        return remember(null);
      }
      const subscription = await subscribeBrowser(settings.push_key);
      setRefused(subscription === null);
      if (subscription !== null) remember((await api.addPushSubscription(subscription)).id);
    },
    onError: toastError,
  });
  const possible = canShowAlerts();
  return (
    <Switch
      label={t.browser}
      hint={!possible ? t.noBrowser : refused ? t.refused : t.browserHint}
      checked={device !== null}
      disabled={!possible || change.isPending}
      onChange={(on) => change.mutate(on)}
    />
  );
}

function SoundSwitch() {
  const t = useMessages(alertsMessages);
  const [sound, setSound] = useState(loadSound);
  return (
    <Switch
      label={t.sound}
      checked={sound}
      onChange={(on) => {
        storeSound(on);
        setSound(on);
      }}
    />
  );
}
