import type { Device } from '@parley/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, issuesOf } from '../../api/client.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Field, Input, Textarea } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { devicesMessages } from './devices.messages.ts';
import { botChoicesQuery } from './devices.queries.ts';
import { websiteMessages } from './website.messages.ts';

interface Props {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  device: Device;
}

export function EditDeviceDialog({ open, onOpenChange, device }: Props) {
  const t = useMessages(devicesMessages);
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t.editTitle} description={t.editHint}>
      <EditDeviceForm device={device} onClose={() => onOpenChange(false)} />
    </Dialog>
  );
}

function EditDeviceForm({ device, onClose }: { device: Device; onClose: () => void }) {
  const t = useMessages(devicesMessages);
  const website = useMessages(websiteMessages);
  const common = useMessages(commonMessages);
  const queries = useQueryClient();
  const [name, setName] = useState(device.name);
  const [bot, setBot] = useState(device.bot_id);
  const [callReply, setCallReply] = useState(device.missed_call_reply ?? '');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const bots = useQuery(botChoicesQuery(device.team_id)).data?.data;
  const issues = issuesOf(error);
  const hasCalls = device.capabilities.phone_numbers;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await api.updateDevice({
        id: device.id,
        name: name.trim(),
        bot_id: bot,
        ...(hasCalls && { missed_call_reply: callReply.trim() || null }),
      });
      await queries.invalidateQueries({ queryKey: ['devices'] });
      toastSuccess(common.saved);
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="grid gap-4">
      <Field label={common.name} error={issues['name']}>
        <Input
          value={name}
          onChange={(event) => setName(event.target.value)}
          required
          maxLength={100}
          autoComplete="off"
        />
      </Field>
      <Field label={t.bot} error={issues['bot_id']}>
        <Select
          label={t.bot}
          className="w-full"
          value={bot}
          onChange={setBot}
          disabled={bots === undefined}
          choices={(bots ?? []).map(({ id, name: label }) => ({ value: id, label }))}
        />
      </Field>
      {hasCalls && (
        <Field label={website.missedCall} hint={website.missedCallHint} error={issues['missed_call_reply']}>
          <Textarea
            value={callReply}
            onChange={(event) => setCallReply(event.target.value)}
            maxLength={1000}
          />
        </Field>
      )}
      {error !== null && Object.keys(issues).length === 0 && <ErrorNotice error={error} />}
      <DialogFooter>
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button type="submit" look="primary" busy={busy} disabled={name.trim() === ''}>
          {common.save}
        </Button>
      </DialogFooter>
    </form>
  );
}
