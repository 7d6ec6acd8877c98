import type { CreatedWebhook } from '@parley/sdk';
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
  const change = (next: boolean) => {
    onOpenChange(next);
    if (created !== null) void navigate({ to: '/webhooks/$webhookId', params: { webhookId: created.id } });
  };
  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title={created === null ? t.create : t.secretTitle}
      description={created === null ? undefined : t.secretHint}
      wide={created === null}
    >
      {created === null ? (
        <WebhookForm
          team={team}
          onCancel={() => onOpenChange(false)}
          onSave={async (input) => setCreated(await api.createWebhook(input))}
        />
      ) : (
        <ShownSecret secret={created.secret} onDone={() => change(false)} />
      )}
    </Dialog>
  );
}
