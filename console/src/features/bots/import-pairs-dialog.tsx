import { type ChangeEvent, useRef, useState } from 'react';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Field, Textarea } from '../../components/ui/field.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { parseTable } from '../../lib/csv.ts';
import type { Pair } from './bot-draft.ts';
import { questionsMessages } from './questions.messages.ts';

export function ImportPairsDialog({
  onClose,
  onImport,
  room,
}: {
  onClose: () => void;
  onImport: (pairs: readonly Pair[], replace: boolean) => void;
  /** How many pairs fit. */
  room: (replace: boolean) => number;
}) {
  const t = useMessages(questionsMessages);
  const common = useMessages(commonMessages);
  const [text, setText] = useState('');
  const file = useRef<HTMLInputElement>(null);
  const rows = parseTable(text);
  const pairs = rows.map(toPair).filter((pair) => pair !== null);
  const read = async (event: ChangeEvent<HTMLInputElement>) => {
    const [chosen] = event.target.files ?? [];
    if (chosen !== undefined) setText(await chosen.text());
    event.target.value = '';
  };
  const finish = (replace: boolean) => {
    onImport(pairs, replace);
    onClose();
  };
  const fits = (replace: boolean) => pairs.length > 0 && pairs.length <= room(replace);
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
            {[
              text === '' ? '' : t.found(pairs.length),
              rows.length > pairs.length ? t.skippedRows(rows.length - pairs.length) : '',
            ].join(' ')}
          </p>
        </div>
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

function toPair([question = '', answer = '']: string[]): Pair | null {
  const pair = { question: question.trim().slice(0, 1000), answer: answer.trim().slice(0, 4000) };
  return pair.question === '' || pair.answer === '' ? null : pair;
}
