import { type ChangeEvent, useMemo, useRef, useState } from 'react';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Field, Textarea } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { Switch } from '../../components/ui/switch.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { parseTable, type Table } from '../../lib/csv.ts';
import { decodeTextFile } from '../../lib/text-file.ts';
import type { Pair } from './bot-draft.ts';
import { questionsMessages } from './questions.messages.ts';
import { findColumns, type PairColumns, type PairsOfTable, readPairs } from './read-pairs.ts';

const shownPairs = 20;
const maxFileBytes = 5_000_000;

export function ImportPairsDialog({
  existing,
  onClose,
  onImport,
  room,
}: {
  existing: readonly Pair[];
  onClose: () => void;
  onImport: (pairs: readonly Pair[], replace: boolean) => void;
  /** How many pairs fit. */
  room: (replace: boolean) => number;
}) {
  const t = useMessages(questionsMessages);
  const common = useMessages(commonMessages);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<'tooLarge' | 'notText' | null>(null);
  const [chosen, setChosen] = useState<Partial<PairColumns>>({});
  const file = useRef<HTMLInputElement>(null);
  const table = useMemo(() => parseTable(text), [text]);
  const columns = useMemo(() => ({ ...findColumns(table), ...chosen }), [table, chosen]);
  const found = useMemo(() => readPairs(table, columns), [table, columns]);
  const added = useMemo(() => readPairs(table, columns, existing).pairs, [table, columns, existing]);
  const show = (shown: string) => {
    setText(shown);
    setProblem(null);
    setChosen({});
  };
  const read = async (event: ChangeEvent<HTMLInputElement>) => {
    const [opened] = event.target.files ?? [];
    event.target.value = '';
    if (opened === undefined) return;
    const content = opened.size > maxFileBytes ? null : decodeTextFile(await opened.bytes());
    show(content ?? '');
    if (content === null) setProblem(opened.size > maxFileBytes ? 'tooLarge' : 'notText');
  };
  const finish = (replace: boolean) => {
    onImport(pairsFor(replace), replace);
    onClose();
  };
  const pairsFor = (replace: boolean) => (replace ? found.pairs : added);
  const fits = (replace: boolean) =>
    pairsFor(replace).length > 0 && pairsFor(replace).length <= room(replace);
  return (
    <Dialog open onOpenChange={onClose} title={t.importTitle} wide>
      <div className="grid gap-4">
        <Field label={t.importHint}>
          <Textarea
            className="max-h-72 min-h-40 font-mono text-[0.8125rem]"
            value={text}
            onChange={(event) => show(event.target.value)}
          />
        </Field>
        <div className="flex flex-wrap items-center justify-between gap-3">
          <Button size="small" onClick={() => file.current?.click()}>
            {t.chooseFile}
          </Button>
          <input
            ref={file}
            type="file"
            accept=".csv,.tsv,.txt"
            aria-label={t.chooseFile}
            className="hidden"
            onChange={(event) => void read(event)}
          />
          <p role="status" className="text-muted">
            {text !== '' && t.found(found.pairs.length)}
          </p>
        </div>
        {problem !== null && (
          <p role="alert" className="text-danger">
            {t[problem]}
          </p>
        )}
        {table.rows.length > 0 && <Mapping table={table} columns={columns} onChange={setChosen} />}
        <Preview found={found} known={found.pairs.length - added.length} />
      </div>
      <DialogFooter>
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button disabled={!fits(true)} onClick={() => finish(true)}>
          {t.replace}
        </Button>
        <Button look="primary" disabled={!fits(false)} onClick={() => finish(false)}>
          {t.append}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}

const shownCharacters = 40;
const shownColumns = 50;

/** Shows which columns have the pairs, and lets the user choose others. */
function Mapping({
  table: { rows },
  columns,
  onChange,
}: {
  table: Table;
  columns: PairColumns;
  onChange: (columns: PairColumns) => void;
}) {
  const t = useMessages(questionsMessages);
  const { number } = useFormats();
  const width = rows.reduce((most, { cells }) => Math.max(most, cells.length), 2);
  const choices = Array.from({ length: Math.min(width, shownColumns) }, (_, column) => {
    const cell = rows[0]?.cells[column]?.trim() ?? '';
    const excerpt = cell.length > shownCharacters ? `${cell.slice(0, shownCharacters)}…` : cell;
    return { value: String(column), label: t.column(number(column + 1), excerpt) };
  });
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {(['question', 'answer'] as const).map((part) => (
        <Field key={part} label={part === 'question' ? t.questionColumn : t.answerColumn}>
          <Select
            value={String(columns[part])}
            onChange={(column) => onChange({ ...columns, [part]: Number(column) })}
            choices={choices}
          />
        </Field>
      ))}
      <div className="sm:col-span-2">
        <Switch
          label={t.hasHeader}
          checked={columns.hasHeader}
          onChange={(hasHeader) => onChange({ ...columns, hasHeader })}
        />
      </div>
    </div>
  );
}

/** Shows the first pairs and everything that is left out or changed. */
function Preview({ found, known }: { found: PairsOfTable; known: number }) {
  const t = useMessages(questionsMessages);
  const { number } = useFormats();
  const { pairs, refused, unguarded } = found;
  const notes = [
    unguarded > 0 && t.apostrophesRemoved(unguarded),
    known > 0 && t.alreadyInList(known),
  ].filter((note) => note !== false);
  return (
    <>
      {notes.map((note) => (
        <p key={note} className="text-muted">
          {note}
        </p>
      ))}
      {refused.length > 0 && (
        <ul aria-label={t.refusedRows} className="max-h-32 overflow-y-auto text-danger text-[0.8125rem]">
          {refused.map(({ line, reason }) => (
            <li key={line}>{t.refused(number(line), t[reason])}</li>
          ))}
        </ul>
      )}
      {pairs.length > 0 && (
        <dl
          aria-label={t.preview}
          className="max-h-48 overflow-y-auto rounded-lg border px-4 py-2 text-[0.8125rem]"
        >
          {pairs.slice(0, shownPairs).map(({ question, answer }) => (
            <div key={question} className="py-1">
              <dt className="font-medium">{question}</dt>
              <dd className="whitespace-pre-line text-muted">{answer}</dd>
            </div>
          ))}
          {pairs.length > shownPairs && (
            <div className="py-1">{t.more(number(pairs.length - shownPairs))}</div>
          )}
        </dl>
      )}
    </>
  );
}
