import { useQueryClient } from '@tanstack/react-query';
import { EllipsisVertical } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Role } from '../../api/session.ts';
import { shellMessages } from '../../app/shell.messages.ts';
import { useMay } from '../../app/use-may.ts';
import { useActor } from '../../app/use-session.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Menu, MenuChoices, MenuItem, MenuSeparator } from '../../components/ui/menu.tsx';
import { toastError, toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { InvitationDialog } from './invitation-dialog.tsx';
import { peopleMessages } from './people.messages.ts';
import {
  changePicture,
  changeRole,
  type Invitation,
  invitePerson,
  operationsOf,
  type PeopleOf,
  type Person,
  removePerson,
  rolesOf,
} from './people.queries.ts';
import { toSquare } from './picture.ts';

export function PersonMenu({ team, person }: { team: PeopleOf; person: Person }) {
  const t = useMessages(peopleMessages);
  const { roles } = useMessages(shellMessages);
  const common = useMessages(commonMessages);
  const queries = useQueryClient();
  const may = useMay();
  const { person: reader } = useActor();
  const [removing, setRemoving] = useState(false);
  const [invitation, setInvitation] = useState<Invitation | null>(null);
  const operations = operationsOf(team);
  const file = useRef<HTMLInputElement>(null);
  if (!may(operations.change)) return null;
  // Nobody changes the own role.
  const isReader = reader?.user.id === person.id;
  const invite = async () => setInvitation(await invitePerson(team, person.id));
  const change = async (role: Role) => {
    await changeRole(team, person.id, role);
    await queries.invalidateQueries({ queryKey: ['people', team] });
    toastSuccess(t.changed(person.name, roles[role]));
  };
  const show = async (picture: string | null) => {
    await changePicture(team, person.id, picture);
    await queries.invalidateQueries({ queryKey: ['people', team] });
    toastSuccess(t.pictureChanged(person.name));
  };
  const choose = async (chosen: File | undefined) => {
    if (chosen !== undefined) await show(await toSquare(chosen));
  };
  const remove = async () => {
    await removePerson(team, person.id);
    await queries.invalidateQueries({ queryKey: ['people', team] });
    toastSuccess(t.removed(person.name));
  };
  return (
    <>
      <Menu
        trigger={
          <Button look="ghost" size="iconSmall" aria-label={`${common.more}: ${person.name}`}>
            <EllipsisVertical aria-hidden className="size-4" />
          </Button>
        }
      >
        {!isReader && (
          <>
            <MenuChoices<Role>
              label={t.role}
              value={person.role}
              onChange={(role) => void change(role).catch(toastError)}
              choices={rolesOf(team).map((value) => ({ value, label: roles[value] }))}
            />
            <MenuSeparator />
          </>
        )}
        <MenuItem onClick={() => file.current?.click()}>{t.choosePicture}…</MenuItem>
        {person.has_picture && (
          <MenuItem onClick={() => void show(null).catch(toastError)}>{t.removePicture}</MenuItem>
        )}
        {person.state === 'invited' && !isReader && (
          <MenuItem onClick={() => void invite().catch(toastError)}>{t.inviteAgain}</MenuItem>
        )}
        {may(operations.remove) && !isReader && (
          <MenuItem danger onClick={() => setRemoving(true)}>
            {t.remove}…
          </MenuItem>
        )}
      </Menu>
      <input
        ref={file}
        type="file"
        accept="image/*"
        aria-label={`${t.choosePicture}: ${person.name}`}
        className="hidden"
        onChange={(event) => {
          void choose(event.target.files?.[0]).catch(toastError);
          event.target.value = '';
        }}
      />
      {invitation !== null && (
        <InvitationDialog name={person.name} invitation={invitation} onClose={() => setInvitation(null)} />
      )}
      <ConfirmDialog
        open={removing}
        onOpenChange={setRemoving}
        title={t.removeTitle(person.name)}
        consequences={Object.values(t.removeEffects)}
        action={t.remove}
        onConfirm={remove}
      />
    </>
  );
}
