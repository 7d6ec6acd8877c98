import { useQuery, useQueryClient } from '@tanstack/react-query';
import { SendHorizontal, UserPlus } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../../components/ui/button.tsx';
import { toastError } from '../../components/ui/toast.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { cn } from '../../lib/class-names.ts';
import { chatMessages, mediaAddress, type PhoneMessage, randomPhoneNumber, writeText } from './network.ts';
import { phoneMessages } from './simulated-phone.messages.ts';

/** A phone of a contact who writes to the linked phone `device`. `suggestions` are questions to send with one click. */
export function Phone({
  device,
  title,
  suggestions = [],
}: {
  device: string;
  title: string;
  suggestions?: readonly string[];
}) {
  const t = useMessages(phoneMessages);
  const [contact, setContact] = useState(randomPhoneNumber);
  const queries = useQueryClient();
  const queryKey = ['simulator', 'chat', device, contact];
  const { data: messages = [] } = useQuery({
    queryKey,
    queryFn: ({ signal }) => chatMessages(device, contact, signal),
    refetchInterval: 700,
  });
  const send = async (text: string) => {
    try {
      await writeText(contact, device, text);
      await queries.invalidateQueries({ queryKey });
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <div className="mx-auto flex h-[36rem] w-full max-w-sm flex-col overflow-hidden rounded-[2rem] border-[6px] border-foreground/85 bg-surface shadow-popup">
      <div className="flex items-center gap-2 border-b bg-card py-2 pr-2 pl-4">
        <div className="min-w-0 flex-1">
          <p className="truncate font-semibold">{title}</p>
          <p className="truncate text-muted text-xs">{t.you(contact)}</p>
        </div>
        <Button
          look="ghost"
          size="iconSmall"
          aria-label={t.newContact}
          title={t.newContact}
          onClick={() => setContact(randomPhoneNumber())}
        >
          <UserPlus aria-hidden className="size-4" />
        </Button>
      </div>
      <Chat messages={messages} device={device} contact={contact} />
      {suggestions.length > 0 && messages.length === 0 && (
        <div className="flex flex-wrap gap-1.5 px-3 pb-3">
          {suggestions.map((text) => (
            <Button
              key={text}
              size="small"
              className="h-auto rounded-2xl py-1.5 text-left whitespace-normal"
              onClick={() => void send(text)}
            >
              {text}
            </Button>
          ))}
        </div>
      )}
      <WriteForm onSend={send} />
    </div>
  );
}

function Chat({
  messages,
  device,
  contact,
}: {
  messages: readonly PhoneMessage[];
  device: string;
  contact: string;
}) {
  const t = useMessages(phoneMessages);
  const end = useRef<HTMLDivElement>(null);
  const isWaiting = messages.at(-1)?.direction === 'in';
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when a message arrives
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' });
  }, [messages.length]);
  return (
    <section
      aria-label={t.conversation}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto p-3 -outline-offset-2"
    >
      {messages.length === 0 && <p className="mx-auto max-w-60 pt-8 text-center text-muted">{t.hello}</p>}
      <ol aria-live="polite" className="grid gap-1.5">
        {messages.map((message) => (
          <Bubble key={`${message.direction} ${message.id}`} message={message}>
            <Content message={message} address={mediaAddress(device, contact, message)} />
          </Bubble>
        ))}
      </ol>
      {isWaiting && <p className="pt-2 pl-1 text-muted text-xs">{t.typing}</p>}
      <div ref={end} />
    </section>
  );
}

function Bubble({ message, children }: { message: PhoneMessage; children: ReactNode }) {
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
      <time
        dateTime={message.sent_at}
        className={cn('mt-0.5 block text-right text-[0.6875rem]', !isOwn && 'text-muted')}
      >
        {time(message.sent_at)}
      </time>
    </li>
  );
}

function Content({ message: { kind, text }, address }: { message: PhoneMessage; address: string }) {
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
      {text !== null && <span className="whitespace-pre-wrap">{text}</span>}
    </>
  );
}

function WriteForm({ onSend }: { onSend: (text: string) => Promise<void> }) {
  const t = useMessages(phoneMessages);
  const [text, setText] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === '') return;
    setText('');
    void onSend(text.trim());
  };
  return (
    <form onSubmit={submit} className="flex items-center gap-2 border-t bg-card p-2.5">
      <input
        aria-label={t.write}
        placeholder={t.write}
        autoComplete="off"
        maxLength={4096}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="h-9 min-w-0 flex-1 rounded-full border border-control bg-background px-4 placeholder:text-muted"
      />
      <Button type="submit" look="primary" size="icon" className="rounded-full" aria-label={t.send}>
        <SendHorizontal aria-hidden className="size-4" />
      </Button>
    </form>
  );
}
