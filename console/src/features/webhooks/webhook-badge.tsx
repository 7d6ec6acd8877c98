import type { Webhook } from '@parley/sdk';
import { settings } from '../../app/settings.ts';
import { Badge } from '../../components/ui/badge.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { webhooksMessages } from './webhooks.messages.ts';

export function WebhookBadge({ webhook }: { webhook: Webhook }) {
  const t = useMessages(webhooksMessages);
  if (webhook.disabled_reason !== null)
    return <Badge tone="danger">{t.disabledByBrand(settings.brand.name)}</Badge>;
  if (!webhook.enabled) return <Badge>{t.disabled}</Badge>;
  if (webhook.failing_since !== null) return <Badge tone="warning">{t.failing}</Badge>;
  return <Badge tone="success">{t.enabled}</Badge>;
}
