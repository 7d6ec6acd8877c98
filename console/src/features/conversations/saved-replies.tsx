import type { StoredReplies } from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import type { FormEvent } from 'react';
import { api } from '../../api/client.ts';
import { useEdited } from '../../app/use-edited.ts';
import { ConflictNotice, DifferentValues, RestoredNotice } from '../../components/edit-notices.tsx';
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
  stored,
  onClose,
}: {
  team: string;
  stored: StoredReplies;
  onClose: () => void;
}) {
  const t = useMessages(deskMessages);
  const common = useMessages(commonMessages);
  const queries = useQueryClient();
  const edited = useEdited({
    object: `saved-replies:${team}`,
    item: stored,
    toValues: ({ replies }) => ({ replies }),
    save: ({ replies }, expected) =>
      api.putSavedReplies({
        id: team,
        replies: replies.map(({ name, text }) => ({ name: name.trim(), text })),
        expected_updated_at: expected,
      }),
    reload: () => queries.fetchQuery({ ...savedRepliesQuery(team), staleTime: 0 }),
    onSaved() {
      toastSuccess(common.saved);
      onClose();
    },
  });
  const { conflict } = edited;
  const { replies } = edited.values;
  const set = (next: SavedReply[]) => edited.change({ replies: next });
  const change = (position: number, changed: Partial<SavedReply>) =>
    set(replies.map((reply, index) => (index === position ? { ...reply, ...changed } : reply)));
  const cancel = () => {
    edited.discard();
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    edited.save();
  };
  return (
    <Dialog open wide onOpenChange={onClose} title={t.savedReplies} description={t.savedRepliesHint}>
      <form onSubmit={submit} className="grid gap-4">
        <RestoredNotice at={edited.restoredAt} onDiscard={edited.discard} />
        {replies.length === 0 && <p className="text-muted">{t.noReplies}</p>}
        {replies.map((row, position) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: two new replies may be equal
            key={position}
            className="grid items-start gap-3 border-b pb-4 sm:grid-cols-[10rem_1fr_auto] sm:border-0 sm:pb-0"
          >
            <Field label={t.replyName}>
              <Input
                required
                maxLength={40}
                value={row.name}
                onChange={(event) => change(position, { name: event.target.value })}
              />
            </Field>
            <Field label={t.replyText}>
              <Textarea
                required
                maxLength={4096}
                rows={1}
                className="min-h-9!"
                value={row.text}
                onChange={(event) => change(position, { text: event.target.value })}
              />
            </Field>
            <Button
              look="ghost"
              size="iconSmall"
              className="sm:mt-7"
              aria-label={t.removeReply(row.name)}
              onClick={() => set(replies.filter((_, index) => index !== position))}
            >
              <X aria-hidden className="size-4" />
            </Button>
          </div>
        ))}
        <Button
          className="justify-self-start"
          disabled={replies.length >= 200}
          onClick={() => set([...replies, { name: '', text: '' }])}
        >
          {t.addReply}
        </Button>
        {edited.error !== null && <ErrorNotice error={edited.error} />}
        {conflict !== null && (
          <ConflictNotice conflict={conflict} busy={edited.isSaving}>
            <DifferentValues
              yours={{ replies: toText(conflict.yours.replies) }}
              theirs={{ replies: toText(conflict.theirs.replies) }}
              labels={{ replies: t.savedReplies }}
            />
          </ConflictNotice>
        )}
        <DialogFooter>
          <Button onClick={cancel}>{common.cancel}</Button>
          <Button type="submit" look="primary" busy={edited.isSaving}>
            {common.save}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

const toText = (replies: readonly SavedReply[]): string =>
  replies.map(({ name, text }) => `/${name}: ${text}`).join('\n');
