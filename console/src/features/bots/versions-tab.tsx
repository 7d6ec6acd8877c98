import type { BotDetail } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useMay } from '../../app/use-may.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Badge } from '../../components/ui/badge.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { toastSuccess } from '../../components/ui/toast.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import type { BotDraft } from './bot-draft.ts';
import { botVersionsQuery } from './bots.queries.ts';
import { DifferencesList } from './differences-list.tsx';
import { versionsMessages } from './versions.messages.ts';

export function VersionsTab({
  bot: { id: botId },
  draft,
  onRestored,
}: {
  bot: Pick<BotDetail, 'id'>;
  draft: BotDraft;
  onRestored: () => Promise<void>;
}) {
  const t = useMessages(versionsMessages);
  const { number, dateTime } = useFormats();
  const query = useQuery(botVersionsQuery(botId));
  const mayRestore = useMay()('restoreBotVersion');
  const [asked, setAsked] = useState<number | null>(null);
  const [compared, setCompared] = useState<number | null>(null);
  const restore = async () => {
    await api.restoreBotVersion({ id: botId, version: String(asked) });
    await onRestored();
    toastSuccess(t.restored);
  };
  return (
    <Loaded query={query}>
      {({ data }) => (
        <>
          {data.length === 0 && (
            <Card>
              <EmptyState icon={History} title={t.noVersions}>
                {t.noVersionsHint}
              </EmptyState>
            </Card>
          )}
          <ul className="overflow-hidden rounded-xl border bg-card empty:hidden">
            {data.map(({ version, live, published_at, questions, actions, document_ids }) => (
              <li
                key={version}
                className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b px-4 py-3 last:border-b-0"
              >
                <div className="min-w-56 flex-1">
                  <p className="flex items-center gap-2 font-medium">
                    {t.version(number(version))}
                    {live && <Badge tone="success">{t.live}</Badge>}
                  </p>
                  <p className="text-muted text-[0.8125rem]">
                    {dateTime(published_at)} ·{' '}
                    {t.versionFacts(number(questions), number(actions), number(document_ids.length))}
                  </p>
                </div>
                <Button
                  size="small"
                  aria-expanded={compared === version}
                  onClick={() => setCompared(compared === version ? null : version)}
                >
                  {t.compare}
                </Button>
                {mayRestore && (
                  <Button size="small" onClick={() => setAsked(version)}>
                    {t.restore}
                  </Button>
                )}
                {compared === version && (
                  <div className="w-full pb-2">
                    <DifferencesList botId={botId} version={version} draft={draft} />
                  </div>
                )}
              </li>
            ))}
          </ul>
          <ConfirmDialog
            open={asked !== null}
            onOpenChange={(open) => !open && setAsked(null)}
            title={t.restoreTitle(number(asked ?? 0))}
            consequences={Object.values(t.restoreEffects)}
            action={t.restore}
            danger={false}
            onConfirm={restore}
          />
        </>
      )}
    </Loaded>
  );
}
