import type { Run } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../../components/loaded.tsx';
import { Badge } from '../../components/ui/badge.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { hasEnded, runQuery, runsQuery } from './quality.queries.ts';
import { Row, Rows } from './rows.tsx';
import { RunResults } from './run-results.tsx';
import { runMessages } from './runs.messages.ts';

/** The newest runs of a bot, and the results of the one that is shown. */
export function RunsCard({
  botId,
  botName,
  shownRun,
  onShowRun,
  onShowCase,
}: {
  botId: string;
  botName: string;
  shownRun: string | undefined;
  onShowRun: (id: string | undefined) => void;
  onShowCase: (id: string) => void;
}) {
  const t = useMessages(runMessages);
  const { dateTime } = useFormats();
  const query = useQuery(runsQuery(botId));
  return (
    <Card title={t.runs} description={t.runsHint} flush>
      <Loaded query={query}>
        {({ data }) => (
          <Rows label={t.runs}>
            {data.length === 0 && <li className="px-5 py-4 text-muted">{t.noRuns}</li>}
            {data.map((run) => (
              <Row key={run.id}>
                <div className="min-w-48 flex-1">
                  <p className="font-medium">{dateTime(run.created_at)}</p>
                  <p className="text-muted text-[0.8125rem]">
                    {t.versions[run.version]} · {run.sources.map((source) => t.sources[source]).join(', ')}
                  </p>
                </div>
                <RunCounts run={run} />
                <Button
                  size="small"
                  aria-expanded={shownRun === run.id}
                  onClick={() => onShowRun(shownRun === run.id ? undefined : run.id)}
                >
                  {t.showResults}
                </Button>
              </Row>
            ))}
          </Rows>
        )}
      </Loaded>
      {shownRun !== undefined && (
        <ShownRun key={shownRun} runId={shownRun} botName={botName} onShowCase={onShowCase} />
      )}
    </Card>
  );
}

function RunCounts({ run }: { run: Run }) {
  const t = useMessages(runMessages);
  const { number, percent } = useFormats();
  if (!hasEnded(run))
    return (
      <Badge tone="accent">{run.state === 'waiting' ? t.waiting : t.progress(percent(run.progress))}</Badge>
    );
  if (run.state === 'failed') return <Badge tone="danger">{t.runFailed(run.error ?? '')}</Badge>;
  const others = [
    ['failedCount', run.failed, 'danger'],
    ['warnedCount', run.warned, 'warning'],
    ['worseCount', run.worse, 'danger'],
    ['changedCount', run.changed, 'neutral'],
  ] as const;
  return (
    <span className="flex flex-wrap gap-1.5">
      <Badge tone={run.passed === run.total ? 'success' : 'neutral'}>
        {t.counts(number(run.passed), number(run.total))}
      </Badge>
      {others.map(
        ([name, count, tone]) =>
          count > 0 && (
            <Badge key={name} tone={tone}>
              {t[name](number(count))}
            </Badge>
          ),
      )}
    </span>
  );
}

function ShownRun({
  runId,
  botName,
  onShowCase,
}: {
  runId: string;
  botName: string;
  onShowCase: (id: string) => void;
}) {
  const t = useMessages(runMessages);
  const { percent } = useFormats();
  const query = useQuery(runQuery(runId));
  return (
    <section aria-label={t.results} className="border-t p-5">
      <Loaded query={query}>
        {(run) =>
          hasEnded(run) ? (
            <RunResults runId={runId} botName={botName} onShowCase={onShowCase} />
          ) : (
            <p role="status">{t.progress(percent(run.progress))}</p>
          )
        }
      </Loaded>
    </section>
  );
}
