import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api, issuesOf } from '../../api/client.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { plansQuery } from '../plans/plans.queries.ts';
import { teamsMessages } from './teams.messages.ts';

export function CreateTeamDialog({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const t = useMessages(teamsMessages);
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t.create} description={t.createHint}>
      <CreateTeamForm onClose={() => onOpenChange(false)} />
    </Dialog>
  );
}

function CreateTeamForm({ onClose }: { onClose: () => void }) {
  const t = useMessages(teamsMessages);
  const common = useMessages(commonMessages);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const plans = useQuery(plansQuery);
  const [values, setValues] = useState({ team: '', plan: 'pro', name: '', email: '', phone: '' });
  const create = useMutation({
    mutationFn: () =>
      api.createTeam({
        team: { name: values.team, plan_name: values.plan },
        user: {
          name: values.name,
          email: values.email,
          ...(values.phone === '' ? {} : { phone: values.phone }),
        },
      }),
    async onSuccess({ team }) {
      await queries.invalidateQueries({ queryKey: ['teams'] });
      onClose();
      toastSuccess(t.created(team.name));
      await navigate({ to: '/teams/$teamId', params: { teamId: team.id } });
    },
  });
  const issues = issuesOf(create.error);
  const text = (name: keyof typeof values) => ({
    value: values[name],
    onChange: (event: { target: { value: string } }) => setValues({ ...values, [name]: event.target.value }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  const planNames = plans.data?.data.map(({ name }) => name) ?? [values.plan];
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Field label={t.teamName} error={issues['team.name']}>
        <Input required maxLength={100} autoComplete="off" {...text('team')} />
      </Field>
      <Field label={t.plan} error={issues['team.plan_name']}>
        <Select
          value={values.plan}
          onChange={(plan) => setValues({ ...values, plan })}
          choices={planNames.map((name) => ({ value: name, label: name }))}
        />
      </Field>
      <Field label={t.adminName} error={issues['user.name']}>
        <Input required maxLength={100} autoComplete="off" {...text('name')} />
      </Field>
      <Field label={t.adminEmail} error={issues['user.email']}>
        <Input required type="email" maxLength={254} autoComplete="off" {...text('email')} />
      </Field>
      <Field label={`${t.adminPhone} (${common.optional})`} error={issues['user.phone']}>
        <Input type="tel" placeholder="+15550142" autoComplete="off" {...text('phone')} />
      </Field>
      {create.isError && Object.keys(issues).length === 0 && <ErrorNotice error={create.error} />}
      <DialogFooter>
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button type="submit" look="primary" busy={create.isPending}>
          {common.create}
        </Button>
      </DialogFooter>
    </form>
  );
}
