import { type ChangeEvent, useMemo, useRef, useState } from 'react';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Field, Textarea } from '../../components/ui/field.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { parseTable } from '../../lib/csv.ts';
import { decodeTextFile } from '../../lib/text-file.ts';
import type { Pair } from './bot-draft.ts';
import { questionsMessages } from './questions.messages.ts';
import { type PairsOfTable, readPairs } from './read-pairs.ts';

const shownPairs = 20;

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
  const file = useRef<HTMLInputElement>(null);
  const table = useMemo(() => parseTable(text), [text]);
  const found = useMemo(() => readPairs(table), [table]);
  const added = useMemo(() => readPairs(table, existing).pairs, [table, existing]);
  const read = async (event: ChangeEvent<HTMLInputElement>) => {
    const [chosen] = event.target.files ?? [];
    if (chosen !== undefined) setText(decodeTextFile(await chosen.bytes()));
    event.target.value = '';
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
            onChange={(event) => setText(event.target.value)}
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

/** Shows the first pairs and everything that is left out or changed. */
function Preview({ found, known }: { found: PairsOfTable; known: number }) {
  const t = useMessages(questionsMessages);
  const { number } = useFormats();
  const { pairs, refused, hasHeader, unguarded } = found;
  const notes = [
    hasHeader && t.headerSkipped,
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
