import type { Conversation, Device, DeviceTemplate } from '@parley/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { SendHorizontal } from 'lucide-react';
import { useState } from 'react';
import { api, issuesOf } from '../../api/client.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { approvedTemplatesQuery, labelOf, variablesOf } from '../devices/templates.queries.ts';
import { composerMessages } from './composer.messages.ts';

interface Props {
  conversation: Conversation;
  device: Device;
}

/** Writes to a contact who has not written for 24 hours. */
export function TemplateForm({ conversation, device }: Props) {
  const t = useMessages(composerMessages);
  const query = useQuery(approvedTemplatesQuery(device.id));
  return (
    <div className="max-h-[50dvh] overflow-y-auto bg-surface px-4 py-3 lg:px-6">
      <Loaded query={query}>
        {(approved) => {
          const usable = approved.filter(({ variables }) => variables !== null);
          if (usable.length > 0)
            return <ChosenTemplate conversation={conversation} device={device} templates={usable} />;
          return (
            <p className="text-[0.8125rem] text-muted">
              {t.noTemplates}{' '}
              <Link
                to="/devices/$deviceId"
                params={{ deviceId: device.id }}
                className="text-accent-text underline underline-offset-4"
              >
                {t.toTemplates}
              </Link>
            </p>
          );
        }}
      </Loaded>
    </div>
  );
}

function ChosenTemplate({
  conversation,
  device,
  templates,
}: Props & { templates: readonly DeviceTemplate[] }) {
  const t = useMessages(composerMessages);
  const queries = useQueryClient();
  const preferred = device.default_template && labelOf(device.default_template);
  const [chosen, setChosen] = useState(preferred);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const template = templates.find((each) => labelOf(each) === chosen) ?? templates[0];
  const { name = '', language = '', body = '' } = template ?? {};
  const variables = variablesOf(body);
  const filled = variables.reduce(
    (text, variable) => text.replaceAll(variable, () => values[variable]?.trim() || variable),
    body,
  );
  const send = useMutation({
    mutationFn: () =>
      api.sendMessage({
        device_id: device.id,
        destination_number: conversation.contact_number,
        message: filled,
        template: { name, language, parameters: variables.map((variable) => values[variable]?.trim() ?? '') },
      }),
    onSuccess: () => setValues({}),
    onSettled: () => queries.invalidateQueries({ queryKey: ['conversations'] }),
  });
  const issues = issuesOf(send.error);
  const issueOf = (index: number) => issues[`template.parameters[${index}]`];
  const isShown = variables.some((_, index) => issueOf(index) !== undefined);
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate();
      }}
    >
      {send.error !== null && !isShown && <ErrorNotice error={send.error} />}
      <Field label={t.template}>
        <Select
          label={t.template}
          className="w-full max-w-md"
          value={labelOf({ name, language })}
          onChange={setChosen}
          choices={templates.map((each) => ({ value: labelOf(each), label: labelOf(each) }))}
        />
      </Field>
      {variables.map((variable, index) => (
        <Field key={variable} label={t.valueOf(variable)} error={issueOf(index)}>
          <Input
            value={values[variable] ?? ''}
            required
            maxLength={1024}
            autoComplete="off"
            onChange={(event) => setValues({ ...values, [variable]: event.target.value })}
          />
        </Field>
      ))}
      <div className="flex flex-wrap items-end justify-end gap-3">
        <div className="min-w-0 flex-1 basis-56 rounded-lg border bg-card px-3 py-2">
          <p className="text-muted text-xs">{t.preview}</p>
          <p className="whitespace-pre-line wrap-anywhere">{filled}</p>
        </div>
        <Button type="submit" look="primary" className="h-10" busy={send.isPending}>
          {!send.isPending && <SendHorizontal aria-hidden className="size-4" />}
          {t.sendTemplate}
        </Button>
      </div>
      <p className="text-muted text-xs">{t.templateHint}</p>
    </form>
  );
}
