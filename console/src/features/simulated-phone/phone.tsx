import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Paperclip, SendHorizontal, UserPlus } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { toastError } from '../../components/ui/toast.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { Bubble, Content, Typing } from './bubble.tsx';
import {
  chatMessages,
  mediaAddress,
  type PhoneMessage,
  randomPhoneNumber,
  writeFile,
  writeText,
} from './network.ts';
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
  const {
    data: messages,
    dataUpdatedAt,
    error,
  } = useQuery({
    queryKey,
    queryFn: ({ signal }) => chatMessages(device, contact, signal),
    refetchInterval: 700,
  });
  const send = async (content: string | File) => {
    try {
      await (typeof content === 'string'
        ? writeText(contact, device, content)
        : writeFile(contact, device, content));
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
      {messages === undefined ? (
        <div className="flex-1 p-3">{error !== null && <ErrorNotice error={error} />}</div>
      ) : (
        <Chat messages={messages} device={device} contact={contact} now={dataUpdatedAt} />
      )}
      {suggestions.length > 0 && messages?.length === 0 && (
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

/** A bot that has not answered by then will not answer: it is paused or not published. */
const longestTypingMs = 60_000;

function Chat({
  messages,
  device,
  contact,
  now,
}: {
  messages: readonly PhoneMessage[];
  device: string;
  contact: string;
  /** Milliseconds since 1970. */
  now: number;
}) {
  const t = useMessages(phoneMessages);
  const end = useRef<HTMLDivElement>(null);
  const last = messages.at(-1);
  const isTyping =
    last?.direction === 'in' && last.received && now - Date.parse(last.sent_at) < longestTypingMs;
  const lastAnswer = messages.findLastIndex(({ direction }) => direction === 'out');
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
        {messages.map((message, position) => (
          <Bubble key={`${message.direction} ${message.id}`} message={message} isRead={position < lastAnswer}>
            <Content message={message} address={mediaAddress(device, contact, message)} />
          </Bubble>
        ))}
      </ol>
      {isTyping && <Typing />}
      <div ref={end} />
    </section>
  );
}

function WriteForm({ onSend }: { onSend: (content: string | File) => Promise<void> }) {
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
      <label
        title={t.attach}
        className="grid size-9 shrink-0 cursor-pointer place-items-center rounded-full text-muted focus-within:outline-2 focus-within:outline-accent-text hover:bg-hover"
      >
        <Paperclip aria-hidden className="size-4" />
        <input
          type="file"
          aria-label={t.attach}
          accept="image/*,audio/*,.pdf,.docx,.doc,.txt"
          className="sr-only"
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            if (file !== undefined) void onSend(file);
            target.value = '';
          }}
        />
      </label>
      <input
        aria-label={t.write}
        placeholder={t.write}
        autoComplete="off"
        maxLength={4096}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="h-9 min-w-0 flex-1 rounded-full border border-control bg-background px-4 placeholder:text-muted"
      />
      <Button type="submit" look="primary" size="icon" className="rounded-full!" aria-label={t.send}>
        <SendHorizontal aria-hidden className="size-4" />
      </Button>
    </form>
  );
}
