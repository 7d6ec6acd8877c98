import { sql } from 'kysely';

export const failingWebhookCount = sql<number>`
  select count(*)::int from webhooks
  where (enabled and failing_since < now() - interval '5 minutes')
    or (disabled_reason = 'failing' and disabled_at > now() - interval '1 day')`;
