import { type FormEvent, useState } from 'react';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Field, Input, Textarea } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { actionsMessages } from './actions.messages.ts';
import { type ActionDraft, findParameters } from './bot-draft.ts';
import { BodyRows, HeaderRows } from './key-value-rows.tsx';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const newAction: ActionDraft = {
  name: '',
  description: '',
  endpoint: '',
  method: 'GET',
  headers: [],
  body: [],
  parameters: [],
};

/** Changes an action of the draft. The bot's own save button stores it. */
export function ActionDialog({
  action,
  onApply,
  onClose,
}: {
  action: ActionDraft | null;
  onApply: (action: ActionDraft) => void;
  onClose: () => void;
}) {
  const t = useMessages(actionsMessages);
  const common = useMessages(commonMessages);
  const [values, setValues] = useState(action ?? newAction);
  const change = (changes: Partial<ActionDraft>) => setValues({ ...values, ...changes });
  const names = findParameters(values);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onApply({
      ...values,
      headers: values.headers.filter(({ key }) => key !== ''),
      body: values.body.filter(({ key }) => key !== ''),
      parameters: values.parameters.filter(({ name }) => names.includes(name)),
    });
    onClose();
  };
  return (
    <Dialog open onOpenChange={onClose} title={action === null ? t.addAction : t.editAction} wide>
      <form onSubmit={submit} className="grid gap-5">
        <Field label={t.actionName}>
          <Input
            required
            maxLength={100}
            autoComplete="off"
            value={values.name}
            onChange={(event) => change({ name: event.target.value })}
          />
        </Field>
        <Field label={t.actionDescription} hint={t.actionDescriptionHint}>
          <Textarea
            required
            maxLength={4000}
            className="min-h-16"
            value={values.description}
            onChange={(event) => change({ description: event.target.value })}
          />
        </Field>
        <div className="grid gap-5 sm:grid-cols-[8rem_1fr]">
          <Field label={t.method}>
            <Select
              value={values.method}
              onChange={(method) => change({ method })}
              choices={methods.map((value) => ({ value, label: value }))}
            />
          </Field>
          <Field label={t.endpoint} hint={t.endpointHint}>
            <Input
              required
              maxLength={4000}
              inputMode="url"
              autoComplete="off"
              placeholder="https://api.example.com/orders/{{order_number}}"
              value={values.endpoint}
              onChange={(event) => change({ endpoint: event.target.value })}
            />
          </Field>
        </div>
        <HeaderRows rows={values.headers} onChange={(headers) => change({ headers })} />
        <BodyRows rows={values.body} onChange={(body) => change({ body })} />
        {names.length > 0 && <Parameters names={names} values={values} change={change} />}
        <DialogFooter>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" look="primary">
            {t.apply}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

function Parameters({
  names,
  values,
  change,
}: {
  names: readonly string[];
  values: ActionDraft;
  change: (changes: Partial<ActionDraft>) => void;
}) {
  const t = useMessages(actionsMessages);
  const known = (name: string) =>
    values.parameters.find((parameter) => parameter.name === name) ?? {
      name,
      description: '',
      required: true,
    };
  const set = (changed: ActionDraft['parameters'][number]) =>
    change({ parameters: names.map((name) => (name === changed.name ? changed : known(name))) });
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1.5 font-medium">{t.parameters}</legend>
      {names.map((name) => {
        const parameter = known(name);
        return (
          <div key={name} className="grid gap-1.5 rounded-lg border bg-surface p-3">
            <div className="flex items-center justify-between gap-3">
              <code className="min-w-0 truncate font-mono text-[0.8125rem]">{name}</code>
              <label className="flex items-center gap-2 text-[0.8125rem]">
                <input
                  type="checkbox"
                  className="size-4 accent-accent"
                  checked={parameter.required}
                  onChange={(event) => set({ ...parameter, required: event.target.checked })}
                />
                {t.required}
              </label>
            </div>
            <Input
              aria-label={`${t.parameterHint} ${name}`}
              placeholder={t.parameterHint}
              maxLength={1000}
              value={parameter.description}
              onChange={(event) => set({ ...parameter, description: event.target.value })}
            />
          </div>
        );
      })}
    </fieldset>
  );
}
