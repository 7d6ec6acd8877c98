import { type ReactNode, useState } from 'react';
import { commonMessages } from '../i18n/common.messages.ts';
import { useMessages } from '../i18n/use-locale.ts';
import { ErrorNotice } from './error-notice.tsx';
import { Button } from './ui/button.tsx';
import { Dialog, DialogFooter } from './ui/dialog.tsx';
import { Field, Input } from './ui/field.tsx';

/** Asks before an action and spells out its consequences. With `typed`, the user must type that text first. */
export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  consequences,
  action,
  onConfirm,
  typed,
  danger = true,
  alternative,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  consequences: readonly ReactNode[];
  /** The label of the button. */
  action: string;
  onConfirm: () => Promise<unknown>;
  typed?: string;
  danger?: boolean;
  /** Another way to confirm. */
  alternative?: { action: string; onConfirm: () => Promise<unknown> };
}) {
  const t = useMessages(commonMessages);
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const close = (next: boolean) => {
    if (busy) return;
    setText('');
    setError(null);
    onOpenChange(next);
  };
  const confirm = async (act = onConfirm) => {
    setBusy(true);
    setError(null);
    try {
      await act();
      setText('');
      onOpenChange(false);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog open={open} onOpenChange={close} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void confirm();
        }}
      >
        <ul className="grid list-disc gap-1.5 pl-4.5 text-muted marker:text-control">
          {consequences.map((consequence, position) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes while it is shown
            <li key={position}>{consequence}</li>
          ))}
        </ul>
        {typed !== undefined && (
          <div className="mt-4">
            <Field label={t.typeToConfirm(typed)}>
              <Input value={text} autoComplete="off" onChange={(event) => setText(event.target.value)} />
            </Field>
          </div>
        )}
        {error !== null && (
          <div className="mt-4">
            <ErrorNotice error={error} />
          </div>
        )}
        <DialogFooter>
          <Button onClick={() => close(false)}>{t.cancel}</Button>
          {alternative !== undefined && (
            <Button disabled={busy} onClick={() => void confirm(alternative.onConfirm)}>
              {alternative.action}
            </Button>
          )}
          <Button
            type="submit"
            look={danger ? 'danger' : 'primary'}
            busy={busy}
            disabled={typed !== undefined && typeable(text) !== typeable(typed)}
          >
            {action}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

/** Leaves out invisible marks of direction and repeated spaces, which a user cannot see and type. */
const typeable = (text: string): string =>
  text
    .replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
