import type { ReactNode } from 'react';
import { useFormats, useMessages } from '../i18n/use-locale.ts';
import { isSame } from '../lib/edits.ts';
import { editsMessages } from './edits.messages.ts';
import { Button } from './ui/button.tsx';

/** Says that unsaved changes are shown again. */
export function RestoredNotice({ at, onDiscard }: { at: string | null; onDiscard: () => void }) {
  const t = useMessages(editsMessages);
  const { dateTime } = useFormats();
  if (at === null) return null;
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted text-[0.8125rem]">
      {t.restored(dateTime(at))}
      <Button look="ghost" size="inline" className="rounded underline" onClick={onDiscard}>
        {t.discard}
      </Button>
    </p>
  );
}

/** Asks whose version to keep after somebody else saved one. `children` shows how they differ. */
export function ConflictNotice({
  conflict,
  busy,
  children,
}: {
  conflict: { keepMine: () => void; takeTheirs: () => void };
  busy: boolean;
  children: ReactNode;
}) {
  const t = useMessages(editsMessages);
  return (
    <section
      role="alert"
      aria-label={t.changedTitle}
      className="grid gap-3 rounded-xl border border-warning/50 bg-warning/8 p-4"
    >
      <div>
        <h2 className="font-medium">{t.changedTitle}</h2>
        <p className="text-muted">{t.changedHint}</p>
      </div>
      <div className="max-h-80 overflow-y-auto">{children}</div>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={conflict.takeTheirs}>{t.takeTheirs}</Button>
        <Button look="primary" busy={busy} onClick={conflict.keepMine}>
          {t.keepMine}
        </Button>
      </div>
    </section>
  );
}

/** Lists the fields of a form that differ. */
export function DifferentValues<Values extends object>({
  yours,
  theirs,
  labels,
}: {
  yours: Values;
  theirs: Values;
  labels: Readonly<Record<keyof Values & string, string>>;
}) {
  const t = useMessages(editsMessages);
  const others = new Map<string, unknown>(Object.entries(theirs));
  const names = new Map<string, string>(Object.entries(labels));
  const different = Object.entries(yours).filter(([name, value]) => !isSame(value, others.get(name)));
  return (
    <dl className="grid gap-3">
      {different.map(([name, value]) => (
        <div key={name}>
          <dt className="font-medium">{names.get(name) ?? name}</dt>
          {[
            { label: t.yours, text: value },
            { label: t.theirs, text: others.get(name) },
          ].map(({ label, text }) => (
            <dd key={label} className="whitespace-pre-wrap wrap-anywhere">
              <span className="text-muted">{label}: </span>
              {typeof text === 'object' ? JSON.stringify(text) : String(text)}
            </dd>
          ))}
        </div>
      ))}
    </dl>
  );
}
