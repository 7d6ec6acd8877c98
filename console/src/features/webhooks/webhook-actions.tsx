import type { Webhook } from '@parley/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { EllipsisVertical } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useMay } from '../../app/use-may.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Dialog } from '../../components/ui/dialog.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../components/ui/menu.tsx';
import { toastError, toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { ReplayDialog } from './replay-dialog.tsx';
import { ShownSecret } from './shown-secret.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { webhooksMessages } from './webhooks.messages.ts';

type Asked = 'edit' | 'replay' | 'rotate' | 'disable' | 'delete';

export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const t = useMessages(webhooksMessages);
  const common = useMessages(commonMessages);
  const { number } = useFormats();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => setAsked(null);
  const { id } = webhook;
  const reload = () => queries.invalidateQueries({ queryKey: ['webhooks'] });
  const test = useMutation({
    mutationFn: () => api.testWebhook({ id }),
    onSuccess: ({ delivered, response_status, error, duration_ms }) =>
      delivered
        ? toastSuccess(t.testDelivered(String(response_status), number(duration_ms)))
        : toastError(t.testFailed(error ?? '')),
    onError: toastError,
  });
  const may = useMay();
  if (!may('updateWebhook')) return null;
  const setEnabled = async (enabled: boolean) => {
    await api.updateWebhook({ id, enabled });
    await reload();
    toastSuccess(enabled ? t.enabledNow : t.disabledNow);
  };
  const remove = async () => {
    await api.deleteWebhook({ id });
    await navigate({ to: '/webhooks' });
    queries.removeQueries({ queryKey: ['webhooks', 'one', id] });
    await reload();
    toastSuccess(t.deleted);
  };
  return (
    <>
      <Button busy={test.isPending} onClick={() => test.mutate()}>
        {t.test}
      </Button>
      {!webhook.enabled && (
        <Button look="primary" onClick={() => void setEnabled(true).catch(toastError)}>
          {t.enable}
        </Button>
      )}
      <Menu
        trigger={
          <Button size="icon" aria-label={common.more}>
            <EllipsisVertical aria-hidden className="size-4" />
          </Button>
        }
      >
        <MenuItem onClick={() => setAsked('edit')}>{common.edit}…</MenuItem>
        <MenuItem onClick={() => setAsked('replay')}>{t.replaySince}…</MenuItem>
        <MenuItem onClick={() => setAsked('rotate')}>{t.rotate}…</MenuItem>
        {webhook.enabled && <MenuItem onClick={() => setAsked('disable')}>{t.disable}…</MenuItem>}
        <MenuSeparator />
        <MenuItem danger onClick={() => setAsked('delete')}>
          {common.delete}…
        </MenuItem>
      </Menu>
      <Dialog open={asked === 'edit'} onOpenChange={close} title={t.editTitle} wide>
        <WebhookForm
          webhook={webhook}
          onCancel={close}
          onSave={async (input) => {
            await api.updateWebhook({ id, ...input });
            toastSuccess(common.saved);
            close();
          }}
        />
      </Dialog>
      <ReplayDialog webhookId={id} open={asked === 'replay'} onClose={close} />
      <ConfirmDialog
        open={asked === 'rotate'}
        onOpenChange={close}
        title={t.rotateTitle}
        consequences={Object.values(t.rotateEffects)}
        action={t.rotate}
        danger={false}
        onConfirm={async () => setSecret((await api.rotateWebhookSecret({ id })).secret)}
      />
      <Dialog
        open={secret !== null}
        keepsOpen
        onOpenChange={() => setSecret(null)}
        title={t.secretTitle}
        description={t.secretHint}
      >
        <ShownSecret secret={secret ?? ''} onDone={() => setSecret(null)} />
      </Dialog>
      <ConfirmDialog
        open={asked === 'disable'}
        onOpenChange={close}
        title={t.disableTitle}
        consequences={Object.values(t.disableEffects)}
        action={t.disable}
        onConfirm={() => setEnabled(false)}
      />
      <ConfirmDialog
        open={asked === 'delete'}
        onOpenChange={close}
        title={t.deleteTitle}
        consequences={Object.values(t.deleteEffects)}
        action={common.delete}
        onConfirm={remove}
      />
    </>
  );
}
