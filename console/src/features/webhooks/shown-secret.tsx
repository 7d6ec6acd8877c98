import { CopyText } from '../../components/copy-text.tsx';
import { Button } from '../../components/ui/button.tsx';
import { DialogFooter } from '../../components/ui/dialog.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { webhooksMessages } from './webhooks.messages.ts';

/** The only time that the secret can be read. */
export function ShownSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  const t = useMessages(webhooksMessages);
  return (
    <>
      <div className="rounded-lg border bg-surface p-4">
        <CopyText text={secret} label={t.secret} />
      </div>
      <DialogFooter>
        <Button look="primary" onClick={onDone}>
          {t.stored}
        </Button>
      </DialogFooter>
    </>
  );
}
