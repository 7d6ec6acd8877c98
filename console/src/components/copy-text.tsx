import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { commonMessages } from '../i18n/common.messages.ts';
import { useMessages } from '../i18n/use-locale.ts';
import { Button } from './ui/button.tsx';

/** An id or a secret, with a button that copies it. */
export function CopyText({ text, label }: { text: string; label?: string }) {
  const t = useMessages(commonMessages);
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <span className="flex min-w-0 items-center gap-1">
      <code className="min-w-0 font-mono text-[0.8125rem] wrap-anywhere">{text}</code>
      {/* Browsers offer the clipboard only on https and localhost. */}
      {navigator.clipboard !== undefined && (
        <Button
          look="ghost"
          size="inline"
          className="rounded p-1 text-muted"
          aria-label={`${copied ? t.copied : t.copy}${label === undefined ? '' : `: ${label}`}`}
          onClick={() => void copy()}
        >
          {copied ? <Check aria-hidden className="size-3.5" /> : <Copy aria-hidden className="size-3.5" />}
        </Button>
      )}
    </span>
  );
}
