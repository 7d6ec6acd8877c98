import type { CreatedWebhook, CreateWebhookInput } from '@parley/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Dialog } from '../../components/ui/dialog.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { ShownSecret } from './shown-secret.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { webhooksMessages } from './webhooks.messages.ts';

export function CreateWebhookDialog({
  open,
  onOpenChange,
  team,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** The team that the form proposes. */
  team: string | null;
}) {
  const t = useMessages(webhooksMessages);
  const navigate = useNavigate();
  const [created, setCreated] = useState<CreatedWebhook | null>(null);
  const [creating, setCreating] = useState(false);
  const change = (next: boolean) => {
    // The secret would be lost, because it is shown only here.
    if (creating) return;
    onOpenChange(next);
    if (created !== null) void navigate({ to: '/webhooks/$webhookId', params: { webhookId: created.id } });
  };
  const create = async (input: CreateWebhookInput) => {
    setCreating(true);
    try {
      setCreated(await api.createWebhook(input));
    } finally {
      setCreating(false);
    }
  };
  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title={created === null ? t.create : t.secretTitle}
      description={created === null ? undefined : t.secretHint}
      wide={created === null}
      keepsOpen={created !== null}
    >
      {created === null ? (
        <WebhookForm team={team} onCancel={() => change(false)} onSave={create} />
      ) : (
        <ShownSecret secret={created.secret} onDone={() => change(false)} />
      )}
    </Dialog>
  );
}
