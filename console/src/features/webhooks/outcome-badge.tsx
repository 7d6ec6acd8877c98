import type { WebhookDelivery } from '@parley/sdk';
import { Badge } from '../../components/ui/badge.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { webhooksMessages } from './webhooks.messages.ts';

export function OutcomeBadge({ status, attempts }: Pick<WebhookDelivery, 'status' | 'attempts'>) {
  const t = useMessages(webhooksMessages);
  const tones = { pending: 'neutral', delivered: 'success', failed: 'danger' } as const;
  if (status === 'pending' && attempts > 0) return <Badge tone="warning">{t.retrying}</Badge>;
  return <Badge tone={tones[status]}>{t.outcomes[status]}</Badge>;
}
