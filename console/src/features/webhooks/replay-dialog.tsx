import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { webhooksMessages } from './webhooks.messages.ts';

export function ReplayDialog({
  webhookId,
  open,
  onClose,
}: {
  webhookId: string;
  open: boolean;
  onClose: () => void;
}) {
  const t = useMessages(webhooksMessages);
  const common = useMessages(commonMessages);
  const { number } = useFormats();
  const queries = useQueryClient();
  const [since, setSince] = useState('');
  const replay = useMutation({
    mutationFn: () => api.replayWebhook({ id: webhookId, since: new Date(since).toISOString() }),
    async onSuccess({ deliveries }) {
      await queries.invalidateQueries({ queryKey: ['webhooks'] });
      toastSuccess(t.replayed(number(deliveries)));
      onClose();
    },
  });
  return (
    <Dialog open={open} onOpenChange={onClose} title={t.replaySince} description={t.replayHint}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          replay.mutate();
        }}
      >
        <Field label={t.since}>
          <Input
            type="datetime-local"
            required
            value={since}
            onChange={(event) => setSince(event.target.value)}
          />
        </Field>
        {replay.isError && <ErrorNotice error={replay.error} />}
        <DialogFooter>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" look="primary" busy={replay.isPending} disabled={since === ''}>
            {t.replay}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
