import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api/client.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Badge } from '../../components/ui/badge.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { actionsMessages } from './actions.messages.ts';
import { type ActionDraft, findParameters } from './bot-draft.ts';

/** Calls an action of the stored draft with values that the user fills in. */
export function TryActionDialog({
  botId,
  action,
  onClose,
}: {
  botId: string;
  action: ActionDraft;
  onClose: () => void;
}) {
  const t = useMessages(actionsMessages);
  const common = useMessages(commonMessages);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const names = findParameters(action);
  const run = useMutation({
    mutationFn: () =>
      api.tryBotAction({ id: botId, actionId: action.id ?? '', arguments: typedArguments(action, values) }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run.mutate();
  };
  return (
    <Dialog open onOpenChange={onClose} title={t.tryTitle(action.name)} description={t.tryHint} wide>
      <form onSubmit={submit} className="grid gap-4">
        {names.map((name) => {
          const parameter = action.parameters.find((each) => each.name === name);
          return (
            <Field key={name} label={name} hint={parameter?.description}>
              <Input
                required={parameter?.required ?? true}
                autoComplete="off"
                value={values[name] ?? ''}
                onChange={(event) => setValues({ ...values, [name]: event.target.value })}
              />
            </Field>
          );
        })}
        {run.isError && <ErrorNotice error={run.error} />}
        {run.data !== undefined && <Outcome {...run.data} />}
        <DialogFooter>
          <Button onClick={onClose}>{common.close}</Button>
          <Button type="submit" look="primary" busy={run.isPending}>
            {t.try}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

function Outcome({
  status,
  error,
  result,
  ms,
}: {
  status: number | null;
  error: string | null;
  result: string;
  ms: number;
}) {
  const t = useMessages(actionsMessages);
  const { number } = useFormats();
  return (
    <section aria-label={t.result} className="grid gap-2">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={error === null ? 'success' : 'danger'}>{status ?? t.noResponse}</Badge>
        <span className="text-muted tabular-nums">{`${number(ms)} ms`}</span>
        {error !== null && <span className="text-danger wrap-anywhere">{error}</span>}
      </p>
      <pre className="max-h-60 overflow-y-auto rounded-lg border bg-surface p-3 font-mono text-xs whitespace-pre-wrap wrap-anywhere">
        {result}
      </pre>
    </section>
  );
}

/** Body items may be numbers or booleans. Values that are left empty are not sent. */
function typedArguments({ body }: ActionDraft, values: Readonly<Record<string, string>>) {
  const given = Object.entries(values).filter(([, value]) => value !== '');
  return Object.fromEntries(
    given.map(([name, value]) => {
      const type = body.find((item) => item.key === name && item.value === '')?.type;
      if (type === 'number' && value.trim() !== '' && !Number.isNaN(Number(value)))
        return [name, Number(value)];
      return [name, type === 'boolean' ? value === 'true' : value];
    }),
  );
}
