import type { Document } from '@parley/sdk';
import { Badge } from '../../components/ui/badge.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { documentsMessages } from './documents.messages.ts';

export function DocumentStatus({
  document: { provider_status },
}: {
  document: Pick<Document, 'provider_status'>;
}) {
  const t = useMessages(documentsMessages);
  if (provider_status === 'failed') return <Badge tone="danger">{t.failed}</Badge>;
  return provider_status === 'ready' ? (
    <Badge tone="success">{t.ready}</Badge>
  ) : (
    <Badge tone="warning">{t.processing}</Badge>
  );
}
