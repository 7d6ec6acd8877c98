import type { Device } from '@parley/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api, issuesOf } from '../../api/client.ts';
import { settings } from '../../app/settings.ts';
import { useMay } from '../../app/use-may.ts';
import { useActor } from '../../app/use-session.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { TeamPicker } from '../../components/team-picker.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { devicesMessages } from './devices.messages.ts';
import { botChoicesQuery } from './devices.queries.ts';
import { websiteMessages } from './website.messages.ts';

interface Props {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  teamId?: string | undefined;
}

export function CreateDeviceDialog({ open, onOpenChange, teamId }: Props) {
  const t = useMessages(devicesMessages);
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t.create} description={t.createHint}>
      <CreateDeviceForm onClose={() => onOpenChange(false)} initialTeam={teamId} />
    </Dialog>
  );
}

function CreateDeviceForm({
  onClose,
  initialTeam,
}: {
  onClose: () => void;
  initialTeam: string | undefined;
}) {
  const t = useMessages(devicesMessages);
  const common = useMessages(commonMessages);
  const website = useMessages(websiteMessages);
  const may = useMay();
  const actor = useActor();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [team, setTeam] = useState<string | null>(actor.teamId ?? initialTeam ?? null);
  const [bot, setBot] = useState('');
  const [name, setName] = useState('');
  const [network, setNetwork] = useState(settings.networks[0] ?? '');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const bots = useQuery({ ...botChoicesQuery(team ?? ''), enabled: team !== null }).data?.data;
  const chosen = bots?.find(({ id }) => id === bot)?.id ?? bots?.[0]?.id;
  const issues = issuesOf(error);
  const names: Readonly<Record<string, string>> = website.networks;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      const device = await api.createDevice({
        team_id: team ?? '',
        bot_id: chosen ?? '',
        name: name.trim(),
        // One of the networks that the service enables.
        ...(network !== '' && { network: network as Device['network'] }),
      });
      // Nothing has to be linked, so it can begin.
      if (device.web_chat !== null && may('connectDevice')) await api.connectDevice({ id: device.id });
      await queries.invalidateQueries({ queryKey: ['devices'] });
      await navigate({ to: '/devices/$deviceId', params: { deviceId: device.id } });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="grid gap-4">
      {actor.teamId === null && (
        <Field label={common.team} error={issues['team_id']}>
          <TeamPicker value={team} onChange={setTeam} />
        </Field>
      )}
      {team !== null && bots?.length === 0 ? (
        <p className="rounded-lg bg-hover p-3">
          {t.noBots}{' '}
          <Link to="/bots" search={{ team }} className="text-accent-text underline underline-offset-4">
            {t.toBots}
          </Link>
        </p>
      ) : (
        <Field label={t.bot} error={issues['bot_id']}>
          <Select
            label={t.bot}
            className="w-full"
            value={chosen ?? ''}
            onChange={setBot}
            disabled={bots === undefined}
            choices={(bots ?? []).map(({ id, name: label }) => ({ value: id, label }))}
          />
        </Field>
      )}
      {settings.networks.length > 1 && (
        <Field label={website.network} error={issues['network']}>
          <Select
            label={website.network}
            className="w-full"
            value={network}
            onChange={setNetwork}
            choices={settings.networks.map((value) => ({
              value,
              label: names[value] ?? value,
            }))}
          />
        </Field>
      )}
      <Field label={common.name} hint={t.nameHint} error={issues['name']}>
        <Input
          value={name}
          onChange={(event) => setName(event.target.value)}
          required
          maxLength={100}
          autoComplete="off"
        />
      </Field>
      {error !== null && Object.keys(issues).length === 0 && <ErrorNotice error={error} />}
      <DialogFooter>
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button
          type="submit"
          look="primary"
          busy={busy}
          disabled={team === null || chosen === undefined || name.trim() === ''}
        >
          {common.create}
        </Button>
      </DialogFooter>
    </form>
  );
}
