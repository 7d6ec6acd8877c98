import type { BotDetail } from '@parley/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, issuesOf } from '../../api/client.ts';
import { useEdited } from '../../app/use-edited.ts';
import { useMay } from '../../app/use-may.ts';
import { usePageTitle } from '../../app/use-page-title.ts';
import { ConflictNotice, RestoredNotice } from '../../components/edit-notices.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { lazyDialog } from '../../components/lazily.tsx';
import { Page } from '../../components/page.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Tabs } from '../../components/ui/tabs.tsx';
import { toastSuccess } from '../../components/ui/toast.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { cn } from '../../lib/class-names.ts';
import { teamQuery } from '../teams/teams.queries.ts';
import { ActionsTab } from './actions-tab.tsx';
import { botMessages } from './bot.messages.ts';
import { BotActions } from './bot-actions.tsx';
import { BotDocumentsTab } from './bot-documents-tab.tsx';
import { type DraftProps, toDraft, toUpdate, withHeaderValues, withoutHeaderValues } from './bot-draft.ts';
import { BotSettingsTab } from './bot-settings-tab.tsx';
import { botQuery } from './bots.queries.ts';
import { DraftDifferences } from './differences-list.tsx';
import { InstructionsTab } from './instructions-tab.tsx';
import { Playground } from './playground.tsx';
import { PublicationBadge } from './publication-badge.tsx';
import { QuestionsTab } from './questions-tab.tsx';
import { UnansweredTab } from './unanswered-tab.tsx';
import { VersionsTab } from './versions-tab.tsx';

const NumbersPanel = lazyDialog(() => import('../numbers/numbers-panel.tsx'), 'NumbersPanel');
const QualityTab = lazyDialog(() => import('../quality/quality-tab.tsx'), 'QualityTab');

const route = getRouteApi('/bots/$botId');

export function BotEditor({ bot }: { bot: BotDetail }) {
  const t = useMessages(botMessages);
  const common = useMessages(commonMessages);
  const { tab = 'instructions', ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const may = useMay();
  const isSuspended = useQuery(teamQuery(bot.team_id)).data?.banned === true;
  const stored = toDraft(bot);
  const edited = useEdited({
    object: `bot:${bot.id}`,
    item: bot,
    toValues: toDraft,
    save: (values, expected) => api.updateBot({ ...toUpdate(bot.id, values), expected_updated_at: expected }),
    async reload() {
      await queries.invalidateQueries({ queryKey: ['bots'] }, { throwOnError: true });
      return queries.getQueryData(botQuery(bot.id).queryKey) ?? bot;
    },
    onSaved: () => toastSuccess(common.saved),
    withoutSecrets: withoutHeaderValues,
    withSecrets: withHeaderValues,
  });
  const { values: draft, isEdited: isChanged, conflict } = edited;
  /** Without the right to change the bot, its fields show their values only. */
  const shown = (content: ReactNode) => <Editable when={may('updateBot')}>{content}</Editable>;
  const props: DraftProps = {
    draft,
    change: edited.change,
    issues: issuesOf(edited.error),
  };
  return (
    <Page
      title={bot.name}
      crumbs={[{ label: usePageTitle('/bots'), to: '/bots' }]}
      badge={<PublicationBadge bot={bot} />}
      actions={<BotActions bot={bot} isChanged={isChanged} onPublished={() => edited.refresh(stored)} />}
    >
      <RestoredNotice at={edited.restoredAt} onDiscard={edited.discard} />
      <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-[minmax(0,1fr)_21rem]">
        <Tabs
          label={t.sections}
          value={tab}
          onChange={(chosen) => void navigate({ search: { tab: chosen }, replace: true })}
          items={[
            {
              value: 'instructions',
              label: t.tabs.instructions,
              content: shown(<InstructionsTab {...props} />),
            },
            {
              value: 'questions',
              label: t.tabs.questions,
              count: draft.questions.length,
              content: shown(<QuestionsTab {...props} botName={bot.name} />),
            },
            {
              value: 'unanswered',
              label: t.tabs.unanswered,
              content: (
                <UnansweredTab bot={bot} isChanged={isChanged} onSaved={() => edited.refresh(stored)} />
              ),
            },
            {
              value: 'actions',
              label: t.tabs.actions,
              count: draft.actions.length,
              content: shown(
                <ActionsTab {...props} botId={bot.id} stored={stored.actions} isSuspended={isSuspended} />,
              ),
            },
            {
              value: 'documents',
              label: t.tabs.documents,
              count: draft.document_ids.length,
              content: shown(<BotDocumentsTab {...props} teamId={bot.team_id} />),
            },
            { value: 'settings', label: t.tabs.settings, content: shown(<BotSettingsTab {...props} />) },
            {
              value: 'quality',
              label: t.tabs.quality,
              content: (
                <QualityTab
                  bot={bot}
                  isChanged={isChanged}
                  shown={search}
                  onShow={(shown) => void navigate({ search: { tab, ...shown }, replace: true })}
                />
              ),
            },
            {
              value: 'numbers',
              label: t.tabs.numbers,
              content: <NumbersPanel of={{ bot: bot.id }} name={bot.name} />,
            },
            {
              value: 'versions',
              label: t.tabs.versions,
              content: <VersionsTab bot={bot} draft={draft} onRestored={() => edited.refresh()} />,
            },
          ]}
        />
        {may('askBot') && <Playground botId={bot.id} isChanged={isChanged} isSuspended={isSuspended} />}
      </div>
      {edited.error !== null && <ErrorNotice error={edited.error} />}
      {conflict !== null && (
        <ConflictNotice conflict={conflict} busy={edited.isSaving}>
          <DraftDifferences before={conflict.theirs} after={conflict.yours} />
        </ConflictNotice>
      )}
      {isChanged && conflict === null && (
        <div className="sticky bottom-4 z-20 flex flex-wrap items-center justify-between gap-3 rounded-xl border bg-raised p-3 pl-4 shadow-popup">
          <span className="font-medium">{common.unsavedChanges}</span>
          <div className="flex gap-2">
            <Button onClick={edited.discard}>{t.discard}</Button>
            <Button look="primary" busy={edited.isSaving} onClick={edited.save}>
              {common.save}
            </Button>
          </div>
        </div>
      )}
    </Page>
  );
}

const Editable = ({ when, children }: { when: boolean; children: ReactNode }) => (
  <fieldset
    disabled={!when}
    // Hides the buttons that add and remove, but not those that show a value.
    className={cn('min-w-0', !when && '[&_a]:hidden [&_button:not([role])]:hidden')}
  >
    {children}
  </fieldset>
);
