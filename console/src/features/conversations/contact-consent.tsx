import type { Consent, Conversation } from '@parley/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api/client.ts';
import { useMay } from '../../app/use-may.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Field, Textarea } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { consentMessages } from './consent.messages.ts';
import { consentsQuery } from './conversations.queries.ts';

type Contact = Pick<Conversation, 'contact_number' | 'team_id'>;

/** What the contact decided about active messages, with a way to record a decision that it told somebody. */
export function ContactConsent({ contact }: { contact: Contact }) {
  const t = useMessages(consentMessages);
  const { dateTime } = useFormats();
  const may = useMay();
  const [open, setOpen] = useState(false);
  const consent = useQuery(consentsQuery(contact)).data?.[0];
  if (consent === undefined) return null;
  const { state, source, decided_at: since, proof } = consent;
  const facts = [
    since === null ? null : t.since(dateTime(since)),
    source === null ? null : t.sources[source],
    // The proof of a word is the id of its message.
    source === 'contact' ? null : proof,
  ].filter((fact) => fact !== null);
  return (
    <p className="mt-2 text-muted text-[0.8125rem] wrap-anywhere">
      <span className={state === 'out' ? 'text-warning' : ''}>{t.states[state]}</span>
      {facts.length > 0 && ` · ${facts.join(', ')}`}
      {may('putConsent') && (
        <>
          {' · '}
          <Button look="ghost" size="inline" className="rounded underline" onClick={() => setOpen(true)}>
            {t.change}
          </Button>
        </>
      )}
      {open && (
        <Dialog open onOpenChange={setOpen} title={t.title} description={t.hint}>
          <ConsentForm contact={contact} consent={consent} onClose={() => setOpen(false)} />
        </Dialog>
      )}
    </p>
  );
}

function ConsentForm({
  contact,
  consent,
  onClose,
}: {
  contact: Contact;
  consent: Consent;
  onClose: () => void;
}) {
  const t = useMessages(consentMessages);
  const common = useMessages(commonMessages);
  const queries = useQueryClient();
  const [state, setState] = useState(consent.state === 'unknown' ? 'out' : consent.state);
  const [proof, setProof] = useState('');
  const isFinal = consent.state === 'out' && consent.source === 'contact';
  const save = useMutation({
    mutationFn: () =>
      api.putConsent({
        number: contact.contact_number,
        team_id: contact.team_id,
        state,
        source: 'console',
        proof: proof.trim(),
      }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['contacts'] });
      toastSuccess(common.saved);
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  if (isFinal) return <p>{t.final}</p>;
  return (
    <form onSubmit={submit} className="grid gap-5">
      <Field label={t.state}>
        <Select
          value={state}
          onChange={setState}
          choices={(['out', 'in'] as const).map((value) => ({ value, label: t.states[value] }))}
        />
      </Field>
      <Field label={t.proof} hint={t.proofHint}>
        <Textarea
          required
          maxLength={1000}
          value={proof}
          onChange={(event) => setProof(event.target.value)}
        />
      </Field>
      {save.isError && <ErrorNotice error={save.error} />}
      <DialogFooter>
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button type="submit" look="primary" busy={save.isPending} disabled={proof.trim() === ''}>
          {common.save}
        </Button>
      </DialogFooter>
    </form>
  );
}
