import type { CreateApiKeyResult } from '@parley/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, issuesOf } from '../../api/client.ts';
import { useActor } from '../../app/use-session.ts';
import { CopyText } from '../../components/copy-text.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { TeamPicker } from '../../components/team-picker.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { apiKeysMessages } from './api-keys.messages.ts';

export function CreateApiKeyDialog({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const t = useMessages(apiKeysMessages);
  const [created, setCreated] = useState<CreateApiKeyResult | null>(null);
  const [creating, setCreating] = useState(false);
  const close = () => {
    // The secret would be lost, because it is shown only here.
    if (creating) return;
    onOpenChange(false);
    setCreated(null);
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? onOpenChange(true) : close())}
      title={created === null ? t.create : t.secretTitle}
      description={created === null ? undefined : t.secretHint}
      keepsOpen={created !== null}
    >
      {created === null ? (
        <CreateForm onBusy={setCreating} onCreated={setCreated} onCancel={close} />
      ) : (
        <CreatedKey created={created} onDone={close} />
      )}
    </Dialog>
  );
}

function CreateForm({
  onBusy,
  onCreated,
  onCancel,
}: {
  onBusy: (busy: boolean) => void;
  onCreated: (created: CreateApiKeyResult) => void;
  onCancel: () => void;
}) {
  const t = useMessages(apiKeysMessages);
  const common = useMessages(commonMessages);
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [scope, setScope] = useState<'global' | 'team'>('team');
  const [team, setTeam] = useState<string | null>(null);
  const [expires, setExpires] = useState('');
  const { role } = useActor();
  const create = useMutation({
    mutationFn: () =>
      api.createApiKey({
        name,
        ...(scope === 'team' ? { scope, team_id: team ?? undefined } : {}),
        ...(expires === '' ? {} : { expires_at: new Date(`${expires}T23:59:59`).toISOString() }),
      }),
    onMutate: () => onBusy(true),
    onSettled: () => onBusy(false),
    onSuccess(created) {
      void queries.invalidateQueries({ queryKey: ['api-keys'] });
      onCreated(created);
    },
  });
  const issues = issuesOf(create.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Field label={common.name} error={issues['name']}>
        <Input
          required
          maxLength={100}
          autoComplete="off"
          placeholder={t.namePlaceholder}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <Field label={t.scope} error={issues['scope']}>
        <Select
          value={scope}
          onChange={setScope}
          choices={[
            { value: 'team', label: t.oneTeam },
            ...(role === null || role === 'owner' ? [{ value: 'global' as const, label: t.allTeams }] : []),
          ]}
        />
      </Field>
      {scope === 'team' && (
        <Field label={common.team} error={issues['team_id']}>
          <TeamPicker value={team} onChange={setTeam} />
        </Field>
      )}
      <Field label={`${t.expires} (${common.optional})`} hint={t.expiresHint} error={issues['expires_at']}>
        <Input type="date" value={expires} onChange={(event) => setExpires(event.target.value)} />
      </Field>
      {create.isError && Object.keys(issues).length === 0 && <ErrorNotice error={create.error} />}
      <DialogFooter>
        <Button onClick={onCancel}>{common.cancel}</Button>
        <Button
          type="submit"
          look="primary"
          busy={create.isPending}
          disabled={scope === 'team' && team === null}
        >
          {common.create}
        </Button>
      </DialogFooter>
    </form>
  );
}

function CreatedKey({ created, onDone }: { created: CreateApiKeyResult; onDone: () => void }) {
  const t = useMessages(apiKeysMessages);
  return (
    <>
      <dl className="grid gap-4 rounded-lg border bg-surface p-4">
        <div>
          <dt className="text-muted text-[0.8125rem]">{t.keyId}</dt>
          <dd>
            <CopyText text={created.key_id} label={t.keyId} />
          </dd>
        </div>
        <div>
          <dt className="text-muted text-[0.8125rem]">{t.keySecret}</dt>
          <dd>
            <CopyText text={created.key_secret} label={t.keySecret} />
          </dd>
        </div>
      </dl>
      <DialogFooter>
        <Button look="primary" onClick={onDone}>
          {t.done}
        </Button>
      </DialogFooter>
    </>
  );
}
