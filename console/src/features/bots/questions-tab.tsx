import { Download, MessageCircleQuestion, Plus, Table2, Trash2 } from 'lucide-react';
import { memo, useCallback, useState } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { formatTable } from '../../lib/csv.ts';
import { saveFile } from '../../lib/save-file.ts';
import type { DraftProps, Pair } from './bot-draft.ts';
import { ImportPairsDialog } from './import-pairs-dialog.tsx';
import { questionsMessages } from './questions.messages.ts';
import { exportHeader } from './read-pairs.ts';

const maxPairs = 500;

export function QuestionsTab({ draft, change, issues, botName }: DraftProps & { botName: string }) {
  const t = useMessages(questionsMessages);
  const [importing, setImporting] = useState(false);
  const { questions } = draft;
  const add = () => change({ questions: [...questions, { question: '', answer: '' }] });
  const exportPairs = () => {
    const rows = questions.map(({ question, answer }) => [question, answer]);
    const table = formatTable([exportHeader, ...rows]);
    saveFile(new Blob([table], { type: 'text/csv' }), `${botName}.csv`);
  };
  const addButton = (
    <Button onClick={add} disabled={questions.length >= maxPairs}>
      <Plus aria-hidden className="size-4" />
      {t.addQuestion}
    </Button>
  );
  const importButton = (
    <Button onClick={() => setImporting(true)}>
      <Table2 aria-hidden className="size-4" />
      {t.import}
    </Button>
  );
  return (
    <div className="grid gap-4">
      {questions.length === 0 ? (
        <Card>
          <EmptyState
            icon={MessageCircleQuestion}
            title={t.noQuestions}
            action={
              <>
                {addButton}
                {importButton}
              </>
            }
          >
            {t.noQuestionsHint}
          </EmptyState>
        </Card>
      ) : (
        <>
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p className="text-muted">{t.questionsHint}</p>
            <div className="flex flex-wrap gap-2">
              {importButton}
              <Button onClick={exportPairs}>
                <Download aria-hidden className="size-4" />
                {t.export}
              </Button>
            </div>
          </div>
          <PairList questions={questions} change={change} issues={issues} />
          <div>{addButton}</div>
        </>
      )}
      {importing && (
        <ImportPairsDialog
          existing={questions}
          onClose={() => setImporting(false)}
          onImport={(pairs, replace) => change({ questions: replace ? pairs : [...questions, ...pairs] })}
          room={(replace) => maxPairs - (replace ? 0 : questions.length)}
        />
      )}
    </div>
  );
}

function PairList({
  questions,
  change,
  issues,
}: Pick<DraftProps, 'change' | 'issues'> & { questions: readonly Pair[] }) {
  const update = useCallback(
    (position: number, pair: Pair | null) =>
      change({
        questions:
          pair === null ? questions.filter((_, index) => index !== position) : questions.with(position, pair),
      }),
    [change, questions],
  );
  return (
    <ol className="overflow-hidden rounded-xl border bg-card">
      {questions.map((pair, position) => (
        <PairRow
          // biome-ignore lint/suspicious/noArrayIndexKey: pairs have no ids, and an edited text must keep its field
          key={position}
          pair={pair}
          position={position}
          update={update}
          issue={issues[`questions[${position}].question`] ?? issues[`questions[${position}].answer`]}
        />
      ))}
    </ol>
  );
}

const cell =
  'w-full resize-none bg-transparent px-4 py-3 field-sizing-content focus:outline-2 focus:-outline-offset-2 focus:outline-accent-text';

const PairRow = memo(function PairRow({
  pair,
  position,
  update,
  issue,
}: {
  pair: Pair;
  position: number;
  update: (position: number, pair: Pair | null) => void;
  issue: string | undefined;
}) {
  const t = useMessages(questionsMessages);
  const { number } = useFormats();
  const label = number(position + 1);
  return (
    <li className="grid border-b last:border-b-0 sm:grid-cols-[2fr_3fr_auto] max-sm:grid-cols-[1fr_auto]">
      <textarea
        aria-label={`${t.question} ${label}`}
        placeholder={t.question}
        rows={1}
        maxLength={1000}
        value={pair.question}
        className={`${cell} font-medium`}
        onChange={(event) => update(position, { ...pair, question: event.target.value })}
      />
      <textarea
        aria-label={`${t.answer} ${label}`}
        placeholder={t.answer}
        rows={1}
        maxLength={4000}
        value={pair.answer}
        className={`${cell} sm:border-l max-sm:row-start-2 max-sm:col-span-2 max-sm:pt-0 max-sm:text-muted`}
        onChange={(event) => update(position, { ...pair, answer: event.target.value })}
      />
      <Button
        look="ghost"
        size="iconSmall"
        className="m-2 text-muted"
        aria-label={t.removeQuestion(label)}
        onClick={() => update(position, null)}
      >
        <Trash2 aria-hidden className="size-4" />
      </Button>
      {issue !== undefined && <p className="col-span-full px-4 pb-2 text-danger text-[0.8125rem]">{issue}</p>}
    </li>
  );
});
