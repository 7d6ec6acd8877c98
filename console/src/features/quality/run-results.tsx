import type { RunResult } from '@parley/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Pager } from '../../components/data-table.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Badge } from '../../components/ui/badge.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Select } from '../../components/ui/select.tsx';
import { toastError } from '../../components/ui/toast.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { formatTable } from '../../lib/csv.ts';
import { saveFile } from '../../lib/save-file.ts';
import { resultsQuery, type ShownResults, shownResults } from './quality.queries.ts';
import { CaseLink } from './rows.tsx';
import { runMessages } from './runs.messages.ts';

const tones = { passed: 'success', failed: 'danger', warned: 'warning' } as const;

/** The old and the new answers of a run, with the reasons. */
export function RunResults({
  runId,
  botName,
  onShowCase,
}: {
  runId: string;
  botName: string;
  onShowCase: (id: string) => void;
}) {
  const t = useMessages(runMessages);
  const [{ shown, page }, setList] = useState<{ shown: ShownResults; page: number }>({
    shown: 'all',
    page: 1,
  });
  const query = useQuery(resultsQuery(runId, shown, page));
  const exporting = useMutation({
    async mutationFn() {
      const rows = [Object.values(t.exported)];
      for await (const { name, outcome, old, new: now, reasons } of api.listRunResults({
        id: runId,
        limit: 100,
      }))
        rows.push([name, t.outcomes[outcome], old?.text ?? '', now.text, reasons.join('; ')]);
      saveFile(new Blob([formatTable(rows)], { type: 'text/csv' }), `${botName} ${t.results}.csv`);
    },
    onError: toastError,
  });
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Select
          label={t.show}
          value={shown}
          choices={shownResults.map((value) => ({ value, label: t.filters[value] }))}
          onChange={(chosen) => setList({ shown: chosen, page: 1 })}
        />
        <Button size="small" busy={exporting.isPending} onClick={() => exporting.mutate()}>
          <Download aria-hidden className="size-4" />
          {t.export}
        </Button>
      </div>
      <Loaded query={query}>
        {({ data, meta }) => (
          <>
            {data.length === 0 && <p className="text-muted">{t.noResults}</p>}
            <ol className="grid gap-3">
              {data.map((result) => (
                <ResultItem key={result.position} result={result} onShowCase={onShowCase} />
              ))}
            </ol>
            <Pager
              page={page}
              totalPages={meta.totalPages}
              onPage={(chosen) => setList({ shown, page: chosen })}
            />
          </>
        )}
      </Loaded>
    </div>
  );
}

function ResultItem({
  result: {
    case_id: caseId,
    conversation_id: conversationId,
    name,
    outcome,
    worse,
    changed,
    old,
    reasons,
    ...rest
  },
  onShowCase,
}: {
  result: RunResult;
  onShowCase: (id: string) => void;
}) {
  const t = useMessages(runMessages);
  return (
    <li className="grid gap-2.5 rounded-xl border p-4">
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={tones[outcome]}>{t.outcomes[outcome]}</Badge>
        {worse && <Badge tone="danger">{t.filters.worse}</Badge>}
        {changed && <Badge>{t.filters.changed}</Badge>}
        {caseId !== null ? (
          <CaseLink name={name} onShow={() => onShowCase(caseId)} />
        ) : conversationId === null ? (
          <span className="font-medium wrap-anywhere">{name}</span>
        ) : (
          <Link
            to="/conversations/$conversationId"
            params={{ conversationId }}
            className="min-w-0 underline underline-offset-4 wrap-anywhere"
          >
            {name}
          </Link>
        )}
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        {old !== null && <Answer label={t.before} answer={old} />}
        <Answer label={t.now} answer={rest.new} />
      </div>
      {reasons.length > 0 && (
        <ul aria-label={t.reasons} className="list-disc pl-4.5 text-[0.8125rem] marker:text-control">
          {reasons.map((reason) => (
            <li key={reason} className="wrap-anywhere">
              {reason}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function Answer({ label, answer: { text, source } }: { label: string; answer: RunResult['new'] }) {
  const t = useMessages(runMessages);
  return (
    <div className="grid min-w-0 content-start gap-0.5">
      <p className="text-muted text-xs">{label}</p>
      <p dir="auto" className="whitespace-pre-wrap wrap-anywhere">
        {text === '' ? t.silent : text}
      </p>
      {source !== null && <p className="text-muted text-xs wrap-anywhere">{t.from(source)}</p>}
    </div>
  );
}
