import type { WebhookDelivery } from '@parley/sdk';
import { Badge } from '../../components/ui/badge.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { webhooksMessages } from './webhooks.messages.ts';

export function OutcomeBadge({ status }: Pick<WebhookDelivery, 'status'>) {
  const t = useMessages(webhooksMessages);
  const tones = { pending: 'neutral', delivered: 'success', failed: 'danger' } as const;
  return <Badge tone={tones[status]}>{t.outcomes[status]}</Badge>;
}
