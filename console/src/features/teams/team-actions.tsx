import type { Device, TeamDetail } from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Ban, CirclePlay, EllipsisVertical, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Menu, MenuItem } from '../../components/ui/menu.tsx';
import { toastError, toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { teamMessages } from './team.messages.ts';

export function TeamActions({ team }: { team: TeamDetail }) {
  const t = useMessages(teamMessages);
  const common = useMessages(commonMessages);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<'suspend' | 'delete' | null>(null);
  const [stopped, setStopped] = useState<readonly Device[]>([]);
  const setBanned = async (banned: boolean) => {
    await api.updateTeam({ id: team.id, banned });
    await queries.invalidateQueries();
    toastSuccess(banned ? t.suspended : t.unsuspended);
  };
  const lift = async () => {
    const devices = await devicesStoppedBySuspension(team.id);
    if (devices.length === 0) await setBanned(false);
    else setStopped(devices);
  };
  const liftAndStart = async () => {
    await setBanned(false);
    const started = await Promise.allSettled(stopped.map(({ id }) => api.connectDevice({ id })));
    const failed = started.filter(({ status }) => status === 'rejected').length;
    if (failed > 0) toastError(new Error(t.notStarted(failed)));
    await queries.invalidateQueries({ queryKey: ['devices'] });
  };
  const remove = async () => {
    await api.deleteTeam({ id: team.id });
    await navigate({ to: '/teams' });
    toastSuccess(t.deleted(team.name));
    await queries.invalidateQueries();
  };
  const ask = (question: typeof asked) => (open: boolean) => setAsked(open ? question : null);
  return (
    <>
      <Menu
        trigger={
          <Button size="icon" aria-label={common.more}>
            <EllipsisVertical aria-hidden className="size-4" />
          </Button>
        }
      >
        {team.banned ? (
          <MenuItem onClick={() => void lift().catch(toastError)}>
            <CirclePlay aria-hidden className="size-4" />
            {t.unsuspend}
          </MenuItem>
        ) : (
          <MenuItem onClick={() => setAsked('suspend')}>
            <Ban aria-hidden className="size-4" />
            {t.suspend}…
          </MenuItem>
        )}
        <MenuItem danger onClick={() => setAsked('delete')}>
          <Trash2 aria-hidden className="size-4" />
          {t.delete}…
        </MenuItem>
      </Menu>
      <ConfirmDialog
        open={asked === 'suspend'}
        onOpenChange={ask('suspend')}
        title={t.suspendTitle(team.name)}
        consequences={Object.values(t.suspendEffects)}
        action={t.suspend}
        onConfirm={() => setBanned(true)}
      />
      <ConfirmDialog
        open={stopped.length > 0}
        onOpenChange={(open) => !open && setStopped([])}
        title={t.liftTitle(team.name)}
        consequences={[t.liftEffect(stopped.length)]}
        action={t.liftAndStart}
        alternative={{ action: t.liftOnly, onConfirm: () => setBanned(false) }}
        danger={false}
        onConfirm={liftAndStart}
      />
      <ConfirmDialog
        open={asked === 'delete'}
        onOpenChange={ask('delete')}
        title={t.deleteTitle(team.name)}
        consequences={Object.values(t.deleteEffects)}
        action={t.delete}
        typed={team.name}
        onConfirm={remove}
      />
    </>
  );
}

/** The devices that ran before the suspension. */
async function devicesStoppedBySuspension(teamId: string): Promise<Device[]> {
  const devices: Device[] = [];
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const { data, meta } = await api.listDevices({ team_id: teamId, status: 'stopped', page, limit: 100 });
    devices.push(...data.filter(({ last_disconnect_reason: reason }) => reason === 'team_banned'));
    pages = meta.totalPages;
  }
  return devices;
}
