import type { CreateWebhookInput, Webhook } from '@parley/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { issuesOf } from '../../api/client.ts';
import { useActor } from '../../app/use-session.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { TeamPicker } from '../../components/team-picker.tsx';
import { Button } from '../../components/ui/button.tsx';
import { DialogFooter } from '../../components/ui/dialog.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { Switch } from '../../components/ui/switch.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { webhooksMessages } from './webhooks.messages.ts';

export function WebhookForm({
  webhook,
  team: proposedTeam = null,
  onSave,
  onCancel,
}: {
  /** The webhook to change. Its team stays. */
  webhook?: Webhook;
  team?: string | null;
  onSave: (input: CreateWebhookInput) => Promise<unknown>;
  onCancel: () => void;
}) {
  const t = useMessages(webhooksMessages);
  const common = useMessages(commonMessages);
  const { teamId } = useActor();
  const queries = useQueryClient();
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [description, setDescription] = useState(webhook?.description ?? '');
  const [events, setEvents] = useState<CreateWebhookInput['events']>(webhook?.events ?? ['*']);
  const [ordered, setOrdered] = useState(webhook?.ordered ?? false);
  const [thin, setThin] = useState(webhook?.thin ?? false);
  const [team, setTeam] = useState(proposedTeam);
  const save = useMutation({
    mutationFn: () =>
      onSave({
        url: url.trim(),
        description,
        events,
        ordered,
        thin,
        ...(team !== null && { team_id: team }),
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['webhooks'] }),
  });
  const issues = issuesOf(save.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Field label={t.url} hint={t.urlHint} error={issues['url']}>
        <Input
          type="url"
          required
          maxLength={2048}
          autoComplete="off"
          placeholder="https://example.com/hooks/parley"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
      </Field>
      <Field label={`${t.note} (${common.optional})`} error={issues['description']}>
        <Input
          maxLength={200}
          autoComplete="off"
          value={description}
          onChange={(event) => setDescription(event.target.value)}
        />
      </Field>
      {webhook === undefined && teamId === null && (
        <Field label={common.team} hint={t.teamHint} error={issues['team_id']}>
          <TeamPicker label={common.allTeams} value={team} onChange={setTeam} />
        </Field>
      )}
      <EventChoice events={events} onChange={setEvents} />
      <Switch label={t.ordered} hint={t.orderedHint} checked={ordered} onChange={setOrdered} />
      <Switch label={t.thin} hint={t.thinHint} checked={thin} onChange={setThin} />
      {save.isError && Object.keys(issues).length === 0 && <ErrorNotice error={save.error} />}
      <DialogFooter>
        <Button onClick={onCancel}>{common.cancel}</Button>
        <Button type="submit" look="primary" busy={save.isPending} disabled={events.length === 0}>
          {webhook === undefined ? common.create : common.save}
        </Button>
      </DialogFooter>
    </form>
  );
}

function EventChoice({
  events,
  onChange,
}: {
  events: CreateWebhookInput['events'];
  onChange: (events: CreateWebhookInput['events']) => void;
}) {
  const t = useMessages(webhooksMessages);
  const all = events.includes('*');
  const toggle = (type: EventType, chosen: boolean) =>
    onChange(eventTypes.filter((each) => (each === type ? chosen : events.includes(each))));
  return (
    <div className="grid gap-3">
      <Field label={t.events}>
        <Select<'all' | 'some'>
          label={t.events}
          value={all ? 'all' : 'some'}
          onChange={(choice) => onChange(choice === 'all' ? ['*'] : [])}
          choices={[
            { value: 'all', label: t.allEvents },
            { value: 'some', label: t.someEvents },
          ]}
        />
      </Field>
      {!all && (
        <fieldset className="grid gap-x-4 rounded-lg border p-3 sm:grid-cols-2">
          <legend className="sr-only">{t.someEvents}</legend>
          {eventTypes.map((type) => (
            <label key={type} className="flex min-w-0 items-center gap-2.5 py-1">
              <input
                type="checkbox"
                className="size-4 shrink-0 accent-(--accent)"
                checked={events.includes(type)}
                onChange={(event) => toggle(type, event.target.checked)}
              />
              <span className="truncate font-mono text-xs">{type}</span>
            </label>
          ))}
        </fieldset>
      )}
    </div>
  );
}

type EventType = Exclude<CreateWebhookInput['events'][number], '*'>;

const known: Record<EventType, true> = {
  'message.received': true,
  'message.sent': true,
  'message.delivered': true,
  'message.read': true,
  'message.failed': true,
  'conversation.paused': true,
  'conversation.resumed': true,
  'conversation.human_requested': true,
  'conversation.unanswered': true,
  'contact.opted_out': true,
  'contact.opted_in': true,
  'call.missed': true,
  'contact.automated': true,
  'device.connected': true,
  'device.disconnected': true,
  'device.qr': true,
  'device.restricted': true,
  'device.logged_out': true,
  'bot.published': true,
  'bot.publish_failed': true,
  'run.finished': true,
  'action.failed': true,
  'document.ready': true,
  'document.failed': true,
  'template.updated': true,
  'payment.captured': true,
  'team.created': true,
  'team.updated': true,
  'team.deleted': true,
  'quota.warning': true,
  'quota.reached': true,
  'credits.exhausted': true,
  'webhook.disabled': true,
};

// The record has exactly these keys.
const eventTypes = Object.keys(known) as EventType[];
