import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { issuesOf } from '../../api/client.ts';
import { shellMessages } from '../../app/shell.messages.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { InvitationDialog } from './invitation-dialog.tsx';
import { peopleMessages } from './people.messages.ts';
import { addPerson, type NewPerson, type PeopleOf, rolesOf } from './people.queries.ts';

export function AddPersonDialog({ team, onClose }: { team: PeopleOf; onClose: () => void }) {
  const t = useMessages(peopleMessages);
  const { roles } = useMessages(shellMessages);
  const common = useMessages(commonMessages);
  const queries = useQueryClient();
  const [values, setValues] = useState<NewPerson>({
    name: '',
    email: '',
    role: team === null ? 'support' : 'agent',
  });
  const add = useMutation({
    mutationFn: () => addPerson(team, values),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['people', team] }),
  });
  const issues = issuesOf(add.error);
  if (add.data !== undefined)
    return <InvitationDialog name={add.data.name} invitation={add.data} onClose={onClose} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <Dialog open onOpenChange={onClose} title={t.add}>
      <form onSubmit={submit} className="grid gap-4">
        <Field label={common.name} error={issues['name']}>
          <Input
            required
            maxLength={100}
            autoComplete="off"
            value={values.name}
            onChange={(event) => setValues({ ...values, name: event.target.value })}
          />
        </Field>
        <Field label={t.email} error={issues['email']}>
          <Input
            required
            type="email"
            maxLength={254}
            autoComplete="off"
            value={values.email}
            onChange={(event) => setValues({ ...values, email: event.target.value })}
          />
        </Field>
        <Field label={t.role} hint={t.rights[values.role]} error={issues['role']}>
          <Select
            value={values.role}
            onChange={(role) => setValues({ ...values, role })}
            choices={rolesOf(team).map((value) => ({ value, label: roles[value] }))}
          />
        </Field>
        {add.isError && Object.keys(issues).length === 0 && <ErrorNotice error={add.error} />}
        <DialogFooter>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" look="primary" busy={add.isPending}>
            {t.add}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
