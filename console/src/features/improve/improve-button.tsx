import { useState } from 'react';
import { useMay } from '../../app/use-may.ts';
import { lazyDialog } from '../../components/lazily.tsx';
import { Button } from '../../components/ui/button.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { improveMessages } from './improve.messages.ts';

const ImproveDialog = lazyDialog(() => import('./improve-dialog.tsx'), 'ImproveDialog');

/** For those who may change and publish bots. */
export function ImproveButton({
  unanswered,
  disabled = false,
  ...props
}: {
  conversationId: string;
  messageId: string;
  /** The question in a list of those without an answer. */
  unanswered?: string;
  disabled?: boolean;
  onSaved?: () => Promise<void>;
}) {
  const t = useMessages(improveMessages);
  const may = useMay();
  const [open, setOpen] = useState(false);
  if (!may('updateBot') || !may('publishBot')) return null;
  return (
    <>
      <Button
        {...(unanswered === undefined
          ? { look: 'link', size: 'inline' }
          : { size: 'small', 'aria-label': `${t.unanswered.answer}: ${unanswered}` })}
        disabled={disabled}
        onClick={() => setOpen(true)}
      >
        {unanswered === undefined ? t.improve : t.unanswered.answer}
      </Button>
      {open && <ImproveDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}
