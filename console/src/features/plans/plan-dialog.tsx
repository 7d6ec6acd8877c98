import type { Plan } from '@parley/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, issuesOf } from '../../api/client.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { Switch } from '../../components/ui/switch.tsx';
import { toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { quotaMessages, quotaNames } from '../../lib/quotas.messages.ts';
import { plansMessages } from './plans.messages.ts';

const newPlan: Plan = {
  name: '',
  features: { allowActiveMessaging: true },
  active_messages_monthly: 1_000,
  paying: true,
  quotas: { bots: 5, accounts: 5, characters: 1_000_000, documents: 50, members: 5, credits: 10_000 },
};

/** Creates a plan, or changes the given one. */
export function PlanDialog({ plan, onClose }: { plan: Plan | null; onClose: () => void }) {
  const t = useMessages(plansMessages);
  return (
    <Dialog open onOpenChange={onClose} title={plan === null ? t.create : t.editTitle(plan.name)} wide>
      <PlanForm plan={plan} onClose={onClose} />
    </Dialog>
  );
}

function PlanForm({ plan, onClose }: { plan: Plan | null; onClose: () => void }) {
  const t = useMessages(plansMessages);
  const common = useMessages(commonMessages);
  const quotas = useMessages(quotaMessages);
  const queries = useQueryClient();
  const [values, setValues] = useState<Plan>(plan ?? newPlan);
  const save = useMutation({
    mutationFn: () => api.putPlan(values),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['plans'] });
      await queries.invalidateQueries({ queryKey: ['teams'] });
      toastSuccess(common.saved);
      onClose();
    },
  });
  const issues = issuesOf(save.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit} className="grid gap-5">
      {plan === null && (
        <Field label={common.name} hint={t.nameHint} error={issues['name']}>
          <Input
            required
            maxLength={100}
            autoComplete="off"
            value={values.name}
            onChange={(event) => setValues({ ...values, name: event.target.value })}
          />
        </Field>
      )}
      <div className="grid gap-5 sm:grid-cols-2">
        <NumberField
          label={t.active}
          value={values.active_messages_monthly}
          max={2_000_000_000}
          error={issues['active_messages_monthly']}
          onChange={(active_messages_monthly) => setValues({ ...values, active_messages_monthly })}
        />
        {quotaNames.map((name) => (
          <NumberField
            key={name}
            label={quotas[name]}
            value={values.quotas[name]}
            max={2_147_483_647}
            error={issues[`quotas.${name}`]}
            onChange={(quota) => setValues({ ...values, quotas: { ...values.quotas, [name]: quota } })}
          />
        ))}
      </div>
      <Switch
        label={t.allowActive}
        hint={t.allowActiveHint}
        checked={values.features.allowActiveMessaging}
        onChange={(allowActiveMessaging) => setValues({ ...values, features: { allowActiveMessaging } })}
      />
      <Switch
        label={t.paying}
        hint={t.payingHint}
        checked={values.paying}
        onChange={(paying) => setValues({ ...values, paying })}
      />
      {save.isError && Object.keys(issues).length === 0 && <ErrorNotice error={save.error} />}
      <DialogFooter>
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button type="submit" look="primary" busy={save.isPending}>
          {plan === null ? common.create : common.save}
        </Button>
      </DialogFooter>
    </form>
  );
}

function NumberField({
  label,
  value,
  max,
  error,
  onChange,
}: {
  label: string;
  value: number;
  max: number;
  error: string | undefined;
  onChange: (value: number) => void;
}) {
  return (
    <Field label={label} error={error}>
      <Input
        required
        type="number"
        min={0}
        max={max}
        value={value}
        onChange={(event) => onChange(event.target.valueAsNumber || 0)}
      />
    </Field>
  );
}
