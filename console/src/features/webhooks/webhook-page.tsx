import type { Webhook } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import { settings } from '../../app/settings.ts';
import { CopyText } from '../../components/copy-text.tsx';
import { Facts } from '../../components/facts.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { TeamName } from '../../components/team-name.tsx';
import { Card } from '../../components/ui/card.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { Deliveries } from './deliveries.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookBadge } from './webhook-badge.tsx';
import { webhooksMessages } from './webhooks.messages.ts';
import { webhookQuery } from './webhooks.queries.ts';

const route = getRouteApi('/webhooks/$webhookId');

export function WebhookPage() {
  const t = useMessages(webhooksMessages);
  const { webhookId } = route.useParams();
  const query = useQuery(webhookQuery(webhookId));
  const crumbs = [{ label: t.title, to: '/webhooks' }];
  if (query.data === undefined)
    return (
      <Page title={t.title} crumbs={crumbs}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    );
  const webhook = query.data;
  return (
    <Page
      title={webhook.url}
      description={webhook.description || undefined}
      crumbs={crumbs}
      badge={<WebhookBadge webhook={webhook} />}
      actions={<WebhookActions webhook={webhook} />}
    >
      <Trouble webhook={webhook} />
      <Details webhook={webhook} />
      <Deliveries webhook={webhook} />
    </Page>
  );
}

/** Why deliveries fail, and the next step. */
function Trouble({ webhook: { disabled_reason, disabled_at, failing_since } }: { webhook: Webhook }) {
  const t = useMessages(webhooksMessages);
  const { dateTime } = useFormats();
  const text =
    disabled_reason !== null
      ? t.troubles[disabled_reason](settings.brand.name, disabled_at === null ? '' : dateTime(disabled_at))
      : failing_since !== null && t.failingSince(settings.brand.name, dateTime(failing_since));
  return (
    text !== false && (
      <p className="flex items-start gap-3 rounded-xl border border-warning/40 bg-warning/5 p-4">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warning" />
        {text}
      </p>
    )
  );
}

function Details({ webhook }: { webhook: Webhook }) {
  const t = useMessages(webhooksMessages);
  const common = useMessages(commonMessages);
  const { dateTime } = useFormats();
  return (
    <Card title={t.details}>
      <Facts
        facts={[
          [
            t.events,
            webhook.events.includes('*') ? (
              t.allEvents
            ) : (
              <span key="events" className="font-mono text-xs">
                {webhook.events.join(', ')}
              </span>
            ),
          ],
          [
            common.team,
            webhook.team_id === null ? (
              common.allTeams
            ) : (
              <Link
                key="team"
                to="/teams/$teamId"
                params={{ teamId: webhook.team_id }}
                className="underline-offset-4 hover:underline"
              >
                <TeamName id={webhook.team_id} />
              </Link>
            ),
          ],
          [t.ordered, webhook.ordered ? common.yes : common.no],
          [t.thin, webhook.thin ? common.yes : common.no],
          [common.created, dateTime(webhook.created_at)],
          ['ID', <CopyText key="id" text={webhook.id} label="ID" />],
        ]}
      />
    </Card>
  );
}
