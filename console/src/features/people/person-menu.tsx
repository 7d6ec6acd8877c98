import { useQueryClient } from '@tanstack/react-query';
import { EllipsisVertical } from 'lucide-react';
import { useState } from 'react';
import type { Role } from '../../api/session.ts';
import { shellMessages } from '../../app/shell.messages.ts';
import { useMay } from '../../app/use-may.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Menu, MenuChoices, MenuItem, MenuSeparator } from '../../components/ui/menu.tsx';
import { toastError, toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { peopleMessages } from './people.messages.ts';
import {
  changeRole,
  operationsOf,
  type PeopleOf,
  type Person,
  removePerson,
  rolesOf,
} from './people.queries.ts';

export function PersonMenu({ team, person }: { team: PeopleOf; person: Person }) {
  const t = useMessages(peopleMessages);
  const { roles } = useMessages(shellMessages);
  const common = useMessages(commonMessages);
  const queries = useQueryClient();
  const may = useMay();
  const [removing, setRemoving] = useState(false);
  const operations = operationsOf(team);
  if (!may(operations.change)) return null;
  const change = async (role: Role) => {
    await changeRole(team, person.id, role);
    await queries.invalidateQueries({ queryKey: ['people', team] });
    toastSuccess(t.changed(person.name, roles[role]));
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
        <MenuChoices<Role>
          label={t.role}
          value={person.role}
          onChange={(role) => void change(role).catch(toastError)}
          choices={rolesOf(team).map((value) => ({ value, label: roles[value] }))}
        />
        <MenuSeparator />
        {may(operations.remove) && (
          <MenuItem danger onClick={() => setRemoving(true)}>
            {t.remove}…
          </MenuItem>
        )}
      </Menu>
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
