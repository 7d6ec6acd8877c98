import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, people } from '../../api/client.ts';
import { canUsePasskeys } from '../../app/can-use-passkeys.ts';
import { Loaded } from '../../components/loaded.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { toastError, toastSuccess } from '../../components/ui/toast.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { createPasskey } from '../../lib/passkeys.ts';
import { useFreshProof } from './fresh-proof.tsx';
import { passkeyMessages } from './passkey.messages.ts';

const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: ({ signal }) => api.listPasskeys(undefined, { signal }),
});

export function PasskeysCard() {
  const t = useMessages(passkeyMessages);
  const { dateTime } = useFormats();
  const query = useQuery(passkeysQuery);
  const queries = useQueryClient();
  const remove = async (id: string) => {
    await api.deletePasskey({ id });
    await queries.invalidateQueries(passkeysQuery);
    toastSuccess(t.removed);
  };
  return (
    <Card title={t.title} description={t.hint}>
      <div className="grid gap-5">
        <Loaded query={query}>
          {(passkeys) =>
            passkeys.length === 0 ? (
              <p className="text-muted">{t.none}</p>
            ) : (
              <ul aria-label={t.title} className="grid gap-3">
                {passkeys.map(({ id, name, host, created_at, last_used_at: used }) => (
                  <li key={id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
                    <div className="min-w-0 flex-1">
                      <p className="wrap-anywhere">{name}</p>
                      <p className="text-muted text-[0.8125rem]">
                        {host} · {t.added(dateTime(created_at))}
                        {used !== null && ` · ${t.used(dateTime(used))}`}
                      </p>
                    </div>
                    <Button
                      size="small"
                      aria-label={`${t.remove}: ${name}`}
                      onClick={() => void remove(id).catch(toastError)}
                    >
                      {t.remove}
                    </Button>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
        {canUsePasskeys ? <AddPasskey /> : <p className="text-muted">{t.impossible}</p>}
      </div>
    </Card>
  );
}

function AddPasskey() {
  const t = useMessages(passkeyMessages);
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const proof = useFreshProof();
  const add = useMutation({
    async mutationFn() {
      const made = await createPasskey(await people.startPasskey(proof.input));
      if (made === null) return;
      await people.createPasskey({ name: name.trim(), ...made });
      setName('');
      await queries.invalidateQueries(passkeysQuery);
      toastSuccess(t.saved);
    },
    onSuccess: () => proof.fail(null),
    onError: proof.fail,
  });
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        add.mutate();
      }}
      className="grid max-w-xs gap-4"
    >
      <Field label={t.name} hint={t.nameHint}>
        <Input required maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      {proof.notice}
      <div>
        <Button type="submit" busy={add.isPending}>
          {t.add}
        </Button>
      </div>
    </form>
  );
}
