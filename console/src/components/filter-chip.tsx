import { X } from 'lucide-react';
import { commonMessages } from '../i18n/common.messages.ts';
import { useMessages } from '../i18n/use-locale.ts';
import { Button } from './ui/button.tsx';

/** A filter that a link set, with a button that removes it. */
export function FilterChip({ label, onClear }: { label: string; onClear: () => void }) {
  const t = useMessages(commonMessages);
  return (
    <p className="flex min-w-0 items-center gap-1 rounded-lg bg-hover py-1 pr-1 pl-3">
      <span className="min-w-0 flex-1 truncate">{label}</span>
      <Button look="ghost" size="iconSmall" className="size-7" aria-label={t.clear} onClick={onClear}>
        <X aria-hidden className="size-4" />
      </Button>
    </p>
  );
}
