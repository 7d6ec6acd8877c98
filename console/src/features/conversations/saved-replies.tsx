import { useMutation, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { api } from '../../api/client.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Field, Input, Textarea } from '../../components/ui/field.tsx';
import { toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { deskMessages } from './desk.messages.ts';
import { savedRepliesQuery } from './desk.queries.ts';
import type { SavedReply } from './matching-replies.ts';

export function SavedRepliesDialog({
  team,
  replies,
  onClose,
}: {
  team: string;
  replies: readonly SavedReply[];
  onClose: () => void;
}) {
  const t = useMessages(deskMessages);
  const common = useMessages(commonMessages);
  const queries = useQueryClient();
  const [rows, setRows] = useState(() => replies.map((reply) => ({ ...reply, key: crypto.randomUUID() })));
  const change = (key: string, changed: Partial<SavedReply>) =>
    setRows(rows.map((row) => (row.key === key ? { ...row, ...changed } : row)));
  const save = useMutation({
    mutationFn: () =>
      api.putSavedReplies({ id: team, replies: rows.map(({ name, text }) => ({ name: name.trim(), text })) }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: savedRepliesQuery(team).queryKey });
      toastSuccess(common.saved);
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog open wide onOpenChange={onClose} title={t.savedReplies} description={t.savedRepliesHint}>
      <form onSubmit={submit} className="grid gap-4">
        {rows.length === 0 && <p className="text-muted">{t.noReplies}</p>}
        {rows.map((row) => (
          <div
            key={row.key}
            className="grid items-start gap-3 border-b pb-4 sm:grid-cols-[10rem_1fr_auto] sm:border-0 sm:pb-0"
          >
            <Field label={t.replyName}>
              <Input
                required
                maxLength={40}
                value={row.name}
                onChange={(event) => change(row.key, { name: event.target.value })}
              />
            </Field>
            <Field label={t.replyText}>
              <Textarea
                required
                maxLength={4096}
                rows={1}
                className="min-h-9!"
                value={row.text}
                onChange={(event) => change(row.key, { text: event.target.value })}
              />
            </Field>
            <Button
              look="ghost"
              size="iconSmall"
              className="sm:mt-7"
              aria-label={t.removeReply(row.name)}
              onClick={() => setRows(rows.filter(({ key }) => key !== row.key))}
            >
              <X aria-hidden className="size-4" />
            </Button>
          </div>
        ))}
        <Button
          className="justify-self-start"
          disabled={rows.length >= 200}
          onClick={() => setRows([...rows, { key: crypto.randomUUID(), name: '', text: '' }])}
        >
          {t.addReply}
        </Button>
        {save.isError && <ErrorNotice error={save.error} />}
        <DialogFooter>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" look="primary" busy={save.isPending}>
            {common.save}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
