import { Check, CheckCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { cn } from '../../lib/class-names.ts';
import type { PhoneMessage } from './network.ts';
import { phoneMessages } from './simulated-phone.messages.ts';

export function Typing() {
  const t = useMessages(phoneMessages);
  return (
    <p className="mt-1.5 flex w-fit items-center gap-1 rounded-2xl rounded-bl-sm border bg-card px-3.5 py-3">
      <span className="sr-only">{t.typing}</span>
      {['', '[animation-delay:150ms]', '[animation-delay:300ms]'].map((delay) => (
        <span
          key={delay}
          aria-hidden
          className={cn('size-1.5 animate-bounce rounded-full bg-muted', delay)}
        />
      ))}
    </p>
  );
}

/** One tick: the network has the message. Two: the linked phone has it. Bold: it was answered. */
function Ticks({ isReceived, isRead }: { isReceived: boolean; isRead: boolean }) {
  const t = useMessages(phoneMessages);
  const Icon = isReceived ? CheckCheck : Check;
  return (
    <>
      <Icon aria-hidden strokeWidth={isRead ? 3 : 1.75} className={cn('size-3.5', !isRead && 'opacity-80')} />
      <span className="sr-only">{isRead ? t.read : isReceived ? t.delivered : t.sent}</span>
    </>
  );
}

/** A message, with the ticks of one that the contact sent. */
export function Bubble({
  message,
  isRead,
  children,
}: {
  message: PhoneMessage;
  isRead: boolean;
  children: ReactNode;
}) {
  const { time } = useFormats();
  const isOwn = message.direction === 'in';
  return (
    <li
      className={cn(
        'w-fit max-w-[85%] rounded-2xl px-3 py-2 wrap-anywhere',
        isOwn ? 'justify-self-end rounded-br-sm bg-accent text-on-accent' : 'rounded-bl-sm border bg-card',
      )}
    >
      {children}
      <span
        className={cn('mt-0.5 flex items-center justify-end gap-1 text-[0.6875rem]', !isOwn && 'text-muted')}
      >
        <time dateTime={message.sent_at}>{time(message.sent_at)}</time>
        {isOwn && <Ticks isReceived={message.received} isRead={isRead} />}
      </span>
    </li>
  );
}

export function Content({ message: { kind, text }, address }: { message: PhoneMessage; address: string }) {
  const t = useMessages(phoneMessages);
  return (
    <>
      {kind === 'image' && <img src={address} alt={t.image} className="mb-1 max-h-56 rounded-lg" />}
      {/* biome-ignore lint/a11y/useMediaCaption: a voice note has no captions */}
      {kind === 'voice' && <audio controls preload="metadata" src={address} className="w-56 max-w-full" />}
      {kind === 'document' && (
        <a href={address} className="underline">
          {t.document}
        </a>
      )}
      {text !== null && (
        <span dir="auto" className="whitespace-pre-wrap">
          {text}
        </span>
      )}
    </>
  );
}
