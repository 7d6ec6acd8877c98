import type { Contact, Conversation } from '@parley/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api/client.ts';
import { useDraft } from '../../app/use-draft.ts';
import { useEdited } from '../../app/use-edited.ts';
import { useMay } from '../../app/use-may.ts';
import { ConflictNotice, DifferentValues, RestoredNotice } from '../../components/edit-notices.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Field, Input, Textarea } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { Switch } from '../../components/ui/switch.tsx';
import { toastError, toastSuccess } from '../../components/ui/toast.tsx';
import { useContactLabel } from '../../components/use-contact-label.ts';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { deskMessages } from './desk.messages.ts';
import { colleaguesQuery, contactQuery, notesQuery, ownUserId, splitLabels } from './desk.queries.ts';

/** Who takes care of the conversation, what the team knows about the contact, and its notes. */
export const ContactDetails = ({ conversation }: { conversation: Conversation }) => (
  <div className="grid gap-6">
    <Assignment conversation={conversation} />
    <Notes key={conversation.id} conversation={conversation} />
    <ContactCard contact={conversation} />
  </div>
);

const nobody = 'nobody';
const inTurn = 'in-turn';

function Assignment({ conversation }: { conversation: Conversation }) {
  const t = useMessages(deskMessages);
  const queries = useQueryClient();
  const may = useMay();
  const { id, assignee, labels } = conversation;
  const colleagues = useQuery(colleaguesQuery(conversation.team_id)).data ?? [];
  const own = ownUserId();
  const people = new Map([
    ...(own === null ? [] : [[own, t.me] as const]),
    ...colleagues.filter((person) => person.id !== own).map((person) => [person.id, person.name] as const),
  ]);
  if (assignee !== undefined && !people.has(assignee.user_id)) people.set(assignee.user_id, assignee.name);
  const change = useMutation({
    mutationFn: (act: () => Promise<unknown>) => act(),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['conversations'] }),
    onError: toastError,
  });
  const assign = (chosen: string) =>
    change.mutate(() =>
      api.assignConversation(
        chosen === inTurn ? { id, in_turn: true } : { id, user_id: chosen === nobody ? null : chosen },
      ),
    );
  const mayAssign = may('assignConversation');
  return (
    <div className="grid gap-4">
      <Field label={t.assignee} hint={mayAssign ? t.inTurnHint : undefined}>
        <Select
          value={assignee?.user_id ?? nobody}
          disabled={!mayAssign}
          onChange={assign}
          choices={[
            { value: nobody, label: t.nobody },
            ...[...people].map(([value, label]) => ({ value, label })),
            { value: inTurn, label: t.inTurn },
          ]}
        />
      </Field>
      <LabelsField
        key={labels.join()}
        label={t.labels}
        labels={labels}
        disabled={!may('labelConversation')}
        onChange={(next) => change.mutate(() => api.labelConversation({ id, labels: next }))}
      />
    </div>
  );
}

/** Saves when the reader leaves the field. */
function LabelsField({
  label,
  labels,
  disabled,
  onChange,
}: {
  label: string;
  labels: readonly string[];
  disabled: boolean;
  onChange: (labels: string[]) => void;
}) {
  const t = useMessages(deskMessages);
  const [text, setText] = useState(labels.join(', '));
  const save = () => {
    const next = splitLabels(text);
    if (next.join() !== labels.join()) onChange(next);
  };
  return (
    <Field label={label} hint={t.labelsHint}>
      <Input
        value={text}
        disabled={disabled}
        maxLength={800}
        onChange={(event) => setText(event.target.value)}
        onBlur={save}
      />
    </Field>
  );
}

function Notes({ conversation: { id } }: { conversation: Conversation }) {
  const t = useMessages(deskMessages);
  const { dateTime } = useFormats();
  const queries = useQueryClient();
  const may = useMay();
  const notes = useQuery(notesQuery(id)).data?.data ?? [];
  const { text, setText, restoredAt } = useDraft(`note:${id}`);
  const add = useMutation({
    mutationFn: () => api.createNote({ id, text: text.trim() }),
    async onSuccess() {
      setText('');
      await queries.invalidateQueries({ queryKey: notesQuery(id).queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <section aria-label={t.notes} className="grid gap-3">
      <h2 className="font-medium">{t.notes}</h2>
      {notes.length === 0 && <p className="text-muted text-[0.8125rem]">{t.noNotes}</p>}
      <ul className="grid gap-2">
        {notes.map((note) => (
          <li key={note.id} className="rounded-lg bg-warning/14 px-3 py-2">
            <p className="whitespace-pre-wrap wrap-anywhere">{note.text}</p>
            <p className="mt-1 text-xs">
              {note.author.name} · {dateTime(note.created_at)}
            </p>
          </li>
        ))}
      </ul>
      {may('createNote') && (
        <form onSubmit={submit} className="grid gap-2">
          <Field label={t.addNote} hint={t.notesHint}>
            <Textarea
              value={text}
              maxLength={4096}
              rows={2}
              onChange={(event) => setText(event.target.value)}
            />
          </Field>
          <RestoredNotice at={restoredAt} onDiscard={() => setText('')} />
          {add.isError && <ErrorNotice error={add.error} />}
          <Button
            type="submit"
            className="justify-self-end"
            busy={add.isPending}
            disabled={text.trim() === ''}
          >
            {t.addNote}
          </Button>
        </form>
      )}
    </section>
  );
}

/** What the team knows about a contact, to change it. */
export function ContactCard({ contact }: { contact: Pick<Conversation, 'contact_number' | 'team_id'> }) {
  const query = useQuery(contactQuery(contact));
  return (
    <Loaded query={query}>{(data) => <ContactForm contact={{ ...data, team_id: contact.team_id }} />}</Loaded>
  );
}

const toContactValues = ({ name, labels, note, blocked }: Contact) => ({
  name: name ?? '',
  labels: labels.join(', '),
  note,
  blocked,
});

function ContactForm({ contact }: { contact: Contact }) {
  const labelOf = useContactLabel();
  const t = useMessages(deskMessages);
  const common = useMessages(commonMessages);
  const queries = useQueryClient();
  const may = useMay()('updateContact');
  const key = { contact_number: contact.contact_number, team_id: contact.team_id };
  const edited = useEdited({
    object: `contact:${contact.team_id}:${contact.contact_number}`,
    item: contact,
    toValues: toContactValues,
    save: ({ name, labels, note, blocked }, expected) =>
      api.updateContact({
        number: contact.contact_number,
        team_id: contact.team_id,
        name: name.trim() === '' ? null : name.trim(),
        labels: splitLabels(labels),
        note,
        blocked,
        expected_updated_at: expected,
      }),
    async reload() {
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['contacts'] }),
        queries.invalidateQueries({ queryKey: ['conversations'] }),
      ]);
      return { ...(await queries.fetchQuery(contactQuery(key))), team_id: contact.team_id };
    },
    onSaved: () => toastSuccess(common.saved),
  });
  const { values, change, conflict } = edited;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    edited.save();
  };
  return (
    <form onSubmit={submit} aria-label={t.contact} className="grid gap-4">
      <h2 className="font-medium">
        {t.contact}{' '}
        <span className="font-normal text-muted tabular-nums">{labelOf(contact.contact_number)}</span>
      </h2>
      <Field
        label={t.name}
        hint={contact.network_name === null ? undefined : t.nameHint(contact.network_name)}
      >
        <Input
          value={values.name}
          disabled={!may}
          maxLength={100}
          placeholder={contact.network_name ?? ''}
          onChange={(event) => change({ name: event.target.value })}
        />
      </Field>
      <Field label={t.contactLabels} hint={t.labelsHint}>
        <Input
          value={values.labels}
          disabled={!may}
          maxLength={800}
          onChange={(event) => change({ labels: event.target.value })}
        />
      </Field>
      <Field label={t.note}>
        <Textarea
          value={values.note}
          disabled={!may}
          maxLength={4000}
          onChange={(event) => change({ note: event.target.value })}
        />
      </Field>
      <Switch
        label={t.block}
        hint={t.blockHint}
        checked={values.blocked}
        disabled={!may}
        onChange={(blocked) => change({ blocked })}
      />
      <RestoredNotice at={edited.restoredAt} onDiscard={edited.discard} />
      {edited.error !== null && <ErrorNotice error={edited.error} />}
      {conflict !== null && (
        <ConflictNotice conflict={conflict} busy={edited.isSaving}>
          <DifferentValues
            {...conflict}
            labels={{ name: t.name, labels: t.contactLabels, note: t.note, blocked: t.block }}
          />
        </ConflictNotice>
      )}
      {may && (
        <Button type="submit" className="justify-self-end" busy={edited.isSaving}>
          {common.save}
        </Button>
      )}
    </form>
  );
}
