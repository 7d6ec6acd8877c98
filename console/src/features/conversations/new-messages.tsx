import type { MessageRecord } from '@parley/sdk';
import { useState } from 'react';
import { useMessages } from '../../i18n/use-locale.ts';
import { conversationsMessages } from './conversations.messages.ts';

/** Lets screen readers announce messages that arrive. The list itself cannot: its rows also change when it scrolls. */
export function NewMessages({ messages }: { messages: readonly MessageRecord[] }) {
  const t = useMessages(conversationsMessages);
  const [opened] = useState(() => messages.at(-1)?.created_at ?? '');
  const arrived = messages.slice(-3).filter(({ created_at }) => created_at > opened);
  return (
    <div role="log" className="sr-only">
      {arrived.map(({ id, origin, kind, text }) => (
        <p key={id}>
          {t.origins[origin]}: {text === '' && kind !== 'text' ? t.kinds[kind] : text}
        </p>
      ))}
    </div>
  );
}
