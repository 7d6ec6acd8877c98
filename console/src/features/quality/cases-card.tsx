import type { BotDetail, CreateRunInput } from '@parley/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { FlaskConical, ListChecks, Plus } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useMay } from '../../app/use-may.ts';
import { Pager } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Badge } from '../../components/ui/badge.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { toastError } from '../../components/ui/toast.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { botMessages } from '../bots/bot.messages.ts';
import { AddCases } from './add-cases.tsx';
import { CaseDialog, NewCaseDialog } from './case-dialog.tsx';
import { caseMessages } from './cases.messages.ts';
import { casesQuery, runsQuery } from './quality.queries.ts';
import { CaseLink, Row, Rows } from './rows.tsx';

export function CasesCard({
  bot,
  shownCase,
  onShowCase,
  isChanged,
  onRun,
}: {
  bot: BotDetail;
  shownCase: string | undefined;
  onShowCase: (id: string | undefined) => void;
  isChanged: boolean;
  onRun: (runId: string) => void;
}) {
  const t = useMessages(caseMessages);
  const { saveFirst } = useMessages(botMessages);
  const { number } = useFormats();
  const may = useMay();
  const queries = useQueryClient();
  const [page, setPage] = useState(1);
  const [isNew, setIsNew] = useState(false);
  const query = useQuery(casesQuery(bot.id, page));
  const run = useMutation({
    mutationFn: (sources: NonNullable<CreateRunInput['sources']>) =>
      api.createRun({ id: bot.id, sources, baseline: bot.live_version === null ? null : 'published' }),
    async onSuccess({ id }) {
      await queries.invalidateQueries({ queryKey: runsQuery(bot.id).queryKey });
      onRun(id);
    },
    onError: toastError,
  });
  const hint = isChanged ? saveFirst : undefined;
  return (
    <Card
      title={t.cases}
      description={t.casesHint}
      flush
      actions={
        <div className="flex flex-wrap gap-2">
          {may('importCases') && <AddCases botId={bot.id} />}
          {may('createCase') && (
            <Button size="small" onClick={() => setIsNew(true)}>
              <Plus aria-hidden className="size-4" />
              {t.newCase}
            </Button>
          )}
          {may('createRun') && (
            <>
              <Button
                size="small"
                disabled={isChanged || run.isPending}
                title={hint}
                onClick={() => run.mutate(['recent'])}
              >
                {t.runRecent}
              </Button>
              <Button
                size="small"
                look="primary"
                disabled={isChanged || run.isPending}
                title={hint}
                onClick={() => run.mutate(['cases'])}
              >
                <FlaskConical aria-hidden className="size-4" />
                {t.run}
              </Button>
            </>
          )}
        </div>
      }
    >
      <Loaded query={query}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <EmptyState icon={ListChecks} title={t.noCases}>
              {t.noCasesHint}
            </EmptyState>
          ) : (
            <>
              <Rows label={t.cases}>
                {data.map(({ id, name, checks, enabled }) => (
                  <Row key={id}>
                    <CaseLink className="flex-1" name={name} onShow={() => onShowCase(id)} />
                    {!enabled && <Badge>{t.disabled}</Badge>}
                    <span className="text-muted text-[0.8125rem]">
                      {t.checkCount(checks.length, number(checks.length))}
                    </span>
                  </Row>
                ))}
              </Rows>
              <div className="p-3 empty:hidden">
                <Pager page={page} totalPages={meta.totalPages} onPage={setPage} />
              </div>
            </>
          )
        }
      </Loaded>
      {isNew && <NewCaseDialog bot={bot} onClose={() => setIsNew(false)} />}
      {shownCase !== undefined && (
        <CaseDialog key={shownCase} bot={bot} caseId={shownCase} onClose={() => onShowCase(undefined)} />
      )}
    </Card>
  );
}
