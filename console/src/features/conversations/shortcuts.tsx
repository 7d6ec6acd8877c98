import { useEffect, useRef, useState } from 'react';
import { Dialog } from '../../components/ui/dialog.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { deskMessages } from './desk.messages.ts';

const keys = {
  j: 'next',
  k: 'previous',
  r: 'reply',
  a: 'take',
  e: 'close',
  '/': 'search',
  '?': 'help',
} as const;

/** What the keys of the inbox do. An absent action does nothing. */
export type ShortcutActions = Partial<Record<Exclude<(typeof keys)[keyof typeof keys], 'help'>, () => void>>;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest('input, textarea, select, [contenteditable], [role=dialog]') !== null;

/** Listens to single keys while the reader types nowhere. `?` shows them. */
export function Shortcuts({ actions }: { actions: ShortcutActions }) {
  const t = useMessages(deskMessages);
  const [open, setOpen] = useState(false);
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const action = keys[event.key as keyof typeof keys];
      const hasModifier = event.altKey || event.ctrlKey || event.metaKey;
      if (action === undefined || hasModifier || event.defaultPrevented || isTyping(event.target)) return;
      const act = action === 'help' ? () => setOpen(true) : latest.current[action];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <Dialog open={open} onOpenChange={setOpen} title={t.shortcuts}>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2">
        {[...Object.entries(keys), ['Ctrl K', 'palette'] as const].map(([key, action]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded border bg-hover px-2 py-0.5 font-mono">{key}</kbd>
            </dt>
            <dd>{t.keys[action]}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
