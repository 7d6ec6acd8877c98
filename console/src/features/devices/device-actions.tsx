import type { Device } from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { EllipsisVertical, Pencil, Square, Trash2, Unplug } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useMay } from '../../app/use-may.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../components/ui/menu.tsx';
import { toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { accountMessages } from './account.messages.ts';
import { deviceActionsMessages } from './device-actions.messages.ts';
import { EditDeviceDialog } from './edit-device-dialog.tsx';

type Question = 'stop' | 'unlink' | 'delete' | 'edit';

/** Offers only what the API accepts in the device's state. */
export function DeviceActions({ device }: { device: Device }) {
  const t = useMessages(deviceActionsMessages);
  const account = useMessages(accountMessages);
  const common = useMessages(commonMessages);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Question | null>(null);
  const may = useMay();
  if (!may('updateDevice')) return null;
  const isAccount = device.capabilities.credentials;
  const phoneEffects = device.phone_number === null ? t.stopUnlinkedEffects : t.stopEffects;
  const websiteEffects = device.network === 'web' ? t.stopWebsiteEffects : phoneEffects;
  const stopEffects = isAccount ? account.stopEffects : websiteEffects;
  const ask = (question: Question) => (open: boolean) => setAsked(open ? question : null);
  const change = async (work: () => Promise<unknown>, done: string) => {
    await work();
    await queries.invalidateQueries({ queryKey: ['devices'] });
    toastSuccess(done);
  };
  const remove = async () => {
    await api.deleteDevice({ id: device.id });
    await navigate({ to: '/devices' });
    toastSuccess(t.deleted(device.name));
    await queries.invalidateQueries({ queryKey: ['devices', 'list'] });
  };
  return (
    <>
      <Menu
        trigger={
          <Button size="icon" aria-label={common.more}>
            <EllipsisVertical aria-hidden className="size-4" />
          </Button>
        }
      >
        <MenuItem onClick={() => setAsked('edit')}>
          <Pencil aria-hidden className="size-4" />
          {common.edit}…
        </MenuItem>
        <MenuSeparator />
        {device.status === 'started' && (
          <MenuItem onClick={() => setAsked('stop')}>
            <Square aria-hidden className="size-4" />
            {t.stop}…
          </MenuItem>
        )}
        {(isAccount ? device.webhook_url : device.phone_number) !== null && (
          <MenuItem onClick={() => setAsked('unlink')}>
            <Unplug aria-hidden className="size-4" />
            {isAccount ? account.forget : t.unlink}…
          </MenuItem>
        )}
        {device.status === 'stopped' && (
          <MenuItem danger onClick={() => setAsked('delete')}>
            <Trash2 aria-hidden className="size-4" />
            {t.delete}…
          </MenuItem>
        )}
      </Menu>
      <ConfirmDialog
        open={asked === 'stop'}
        onOpenChange={ask('stop')}
        title={t.stopTitle(device.name)}
        consequences={Object.values(stopEffects)}
        action={t.stop}
        onConfirm={() => change(() => api.stopDevice({ id: device.id }), t.stopped)}
      />
      <ConfirmDialog
        open={asked === 'unlink'}
        onOpenChange={ask('unlink')}
        title={
          isAccount ? account.forgetTitle(device.name) : t.unlinkTitle(device.phone_number ?? device.name)
        }
        consequences={Object.values(isAccount ? account.forgetEffects : t.unlinkEffects)}
        action={isAccount ? account.forget : t.unlink}
        onConfirm={() =>
          change(() => api.logoutDevice({ id: device.id }), isAccount ? account.forgotten : t.unlinked)
        }
      />
      <ConfirmDialog
        open={asked === 'delete'}
        onOpenChange={ask('delete')}
        title={t.deleteTitle(device.name)}
        consequences={Object.values(t.deleteEffects)}
        action={t.delete}
        typed={device.name}
        onConfirm={remove}
      />
      <EditDeviceDialog open={asked === 'edit'} onOpenChange={ask('edit')} device={device} />
    </>
  );
}
