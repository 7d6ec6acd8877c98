import type { ApiKey } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../app/use-may.ts';
import { useActor } from '../../app/use-session.ts';
import type { Column } from '../../components/columns.ts';
import { CreateButton } from '../../components/create-button.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { PlainTable } from '../../components/plain-table.tsx';
import { TeamLink } from '../../components/team-name.tsx';
import { Badge } from '../../components/ui/badge.tsx';
import { Card } from '../../components/ui/card.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { ApiKeyMenu } from './api-key-menu.tsx';
import { apiKeysMessages } from './api-keys.messages.ts';
import { apiKeysQuery } from './api-keys.queries.ts';
import { CreateApiKeyDialog } from './create-api-key-dialog.tsx';

export function ApiKeysPage() {
  const t = useMessages(apiKeysMessages);
  const query = useQuery(apiKeysQuery);
  const columns = useColumns();
  const mayCreate = useMay()('createApiKey');
  const [creating, setCreating] = useState(false);
  return (
    <Page
      title={t.title}
      description={t.intro}
      actions={mayCreate && <CreateButton label={t.create} onClick={() => setCreating(true)} />}
    >
      <Loaded query={query}>
        {(keys) => (
          <Card flush className="overflow-hidden">
            <PlainTable columns={columns} rows={keys} rowKey={(key) => key.key_id} caption={t.title} />
          </Card>
        )}
      </Loaded>
      <CreateApiKeyDialog open={creating} onOpenChange={setCreating} />
    </Page>
  );
}

function useColumns(): Column<ApiKey>[] {
  const t = useMessages(apiKeysMessages);
  const common = useMessages(commonMessages);
  const { date, ago } = useFormats();
  const { keyId } = useActor();
  return [
    {
      name: common.name,
      cell: (key) => (
        <div className="min-w-0">
          <p className="truncate font-medium">{key.name}</p>
          <p className="truncate font-mono text-muted text-xs">{key.key_id}</p>
          <p className="truncate text-muted text-xs md:hidden">
            {t.lastUsed}: {key.last_used === null ? t.never : ago(key.last_used)}
          </p>
        </div>
      ),
    },
    {
      name: common.status,
      cell: (key) => (
        <span className="flex gap-1.5">
          <KeyStatus apiKey={key} />
          {key.key_id === keyId && <Badge tone="accent">{t.current}</Badge>}
        </span>
      ),
    },
    {
      name: t.scope,
      hideBelow: 'sm',
      cell: ({ team_id }) =>
        team_id === undefined ? (
          <span className="whitespace-nowrap">{t.allTeams}</span>
        ) : (
          <TeamLink id={team_id} />
        ),
    },
    {
      name: t.lastUsed,
      hideBelow: 'md',
      cell: (key) => (
        <span className="whitespace-nowrap text-muted">
          {key.last_used === null ? t.never : ago(key.last_used)}
        </span>
      ),
    },
    {
      name: t.expires,
      hideBelow: 'lg',
      cell: (key) => (
        <span className="whitespace-nowrap text-muted">
          {key.expires_at === null ? t.doesNotExpire : date(key.expires_at)}
        </span>
      ),
    },
    { name: common.more, hideName: true, align: 'end', cell: (key) => <ApiKeyMenu apiKey={key} /> },
  ];
}

function KeyStatus({ apiKey: { is_active, expires_at } }: { apiKey: ApiKey }) {
  const t = useMessages(apiKeysMessages);
  if (expires_at !== null && Date.parse(expires_at) <= Date.now())
    return <Badge tone="warning">{t.expired}</Badge>;
  return is_active ? <Badge tone="success">{t.active}</Badge> : <Badge>{t.inactive}</Badge>;
}
