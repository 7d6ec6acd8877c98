import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useMay } from '../../app/use-may.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Field, Input } from '../../components/ui/field.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { gateMessages } from './gate.messages.ts';
import { runMessages } from './runs.messages.ts';

/** Says why a draft was not published, shows the results, and lets owners publish anyway. */
export function GateDialog({
  botId,
  refusal: { message, runId },
  onPublished,
  onClose,
}: {
  botId: string;
  refusal: { message: string; runId: string };
  onPublished: () => Promise<void>;
  onClose: () => void;
}) {
  const t = useMessages(gateMessages);
  const { showResults } = useMessages(runMessages);
  const may = useMay();
  const navigate = useNavigate();
  const [reason, setReason] = useState('');
  const override = useMutation({
    mutationFn: () => api.publishBot({ id: botId, override_reason: reason }),
    async onSuccess() {
      await onPublished();
      onClose();
    },
  });
  const openResults = () => {
    onClose();
    void navigate({ to: '/bots/$botId', params: { botId }, search: { tab: 'quality', run: runId } });
  };
  return (
    <Dialog open onOpenChange={onClose} title={t.gateClosed} description={t.gateClosedHint}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          override.mutate();
        }}
      >
        <p className="wrap-anywhere">{message}</p>
        {may('putGate') && (
          <Field label={t.overrideReason} hint={t.overrideHint}>
            <Input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
          </Field>
        )}
        {override.error !== null && <ErrorNotice error={override.error} />}
        <DialogFooter>
          {may('putGate') && (
            <Button type="submit" look="danger" busy={override.isPending} disabled={reason.trim() === ''}>
              {t.override}
            </Button>
          )}
          <Button look="primary" onClick={openResults}>
            {showResults}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
