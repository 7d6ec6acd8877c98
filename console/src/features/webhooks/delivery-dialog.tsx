import type { Webhook, WebhookDelivery } from '@parley/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { useMay } from '../../app/use-may.ts';
import { Facts } from '../../components/facts.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { toastError, toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { OutcomeBadge } from './outcome-badge.tsx';
import { webhooksMessages } from './webhooks.messages.ts';

export function DeliveryDialog({
  webhook,
  delivery,
  onClose,
}: {
  webhook: Pick<Webhook, 'id' | 'enabled'>;
  delivery: WebhookDelivery;
  onClose: () => void;
}) {
  const t = useMessages(webhooksMessages);
  const common = useMessages(commonMessages);
  const { dateTime, number } = useFormats();
  const queries = useQueryClient();
  const replay = useMutation({
    mutationFn: () => api.replayWebhook({ id: webhook.id, event_id: delivery.event_id }),
    async onSuccess({ deliveries }) {
      await queries.invalidateQueries({ queryKey: ['webhooks'] });
      toastSuccess(t.replayed(number(deliveries)));
    },
    onError: toastError,
  });
  const mayReplay = useMay()('replayWebhook');
  const timeOf = (timestamp: string | null) => (timestamp === null ? common.none : dateTime(timestamp));
  return (
    <Dialog open onOpenChange={onClose} title={delivery.type} wide>
      <Facts
        facts={[
          [common.status, <OutcomeBadge key="status" {...delivery} />],
          [t.attempts, number(delivery.attempts)],
          [t.lastAttempt, timeOf(delivery.last_attempt_at)],
          [t.nextAttempt, timeOf(delivery.next_attempt_at)],
          [t.response, delivery.response_status ?? common.none],
          ...(delivery.error === null ? [] : [[t.error, delivery.error] as const]),
        ]}
      />
      <h3 className="mt-5 mb-1.5 font-medium">{t.payload}</h3>
      <pre className="max-h-72 overflow-y-auto rounded-lg border bg-surface p-3 font-mono text-xs whitespace-pre-wrap wrap-anywhere">
        {JSON.stringify(JSON.parse(delivery.payload), null, 2)}
      </pre>
      {!webhook.enabled && <p className="mt-5 text-warning text-[0.8125rem]">{t.replayDisabled}</p>}
      <DialogFooter>
        <Button onClick={onClose}>{common.close}</Button>
        {mayReplay && (
          <Button
            look="primary"
            busy={replay.isPending}
            disabled={!webhook.enabled}
            onClick={() => replay.mutate()}
          >
            {t.replayOne}
          </Button>
        )}
      </DialogFooter>
    </Dialog>
  );
}
