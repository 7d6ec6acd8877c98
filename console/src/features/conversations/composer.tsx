import type { Conversation, Device } from '@parley/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Mic, Paperclip, SendHorizontal, Square, Trash2 } from 'lucide-react';
import { type ClipboardEvent, type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { useDraft } from '../../app/use-draft.ts';
import { useMay } from '../../app/use-may.ts';
import { RestoredNotice } from '../../components/edit-notices.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { lazyDialog } from '../../components/lazily.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Textarea } from '../../components/ui/field.tsx';
import { toastError } from '../../components/ui/toast.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { liveDeviceQuery } from '../devices/devices.queries.ts';
import { hasTemplates } from '../devices/templates.queries.ts';
import { AttachmentList, isSendable } from './attachment-list.tsx';
import { addFiles, maxCaption, sendFile, useAttachments } from './attachments.ts';
import { composerMessages } from './composer.messages.ts';
import { conversationsMessages } from './conversations.messages.ts';
import { deskMessages } from './desk.messages.ts';
import { savedRepliesQuery } from './desk.queries.ts';
import { matchingReplies } from './matching-replies.ts';
import { SavedRepliesDialog } from './saved-replies.tsx';
import { canRecord, useRecorder } from './use-recorder.ts';

/** Answers as a person. The API refuses this unless the device is connected. */
export function Composer({ conversation }: { conversation: Conversation }) {
  const t = useMessages(conversationsMessages);
  const device = useQuery(liveDeviceQuery(conversation.device_id)).data;
  if (device?.connected === false)
    return (
      <p className="border-t bg-surface px-4 py-3 text-muted lg:px-6">
        {t.notConnected}{' '}
        <Link
          to="/devices/$deviceId"
          params={{ deviceId: device.id }}
          className="text-accent-text underline underline-offset-4"
        >
          {t.toDevice}
        </Link>
      </p>
    );
  return <WindowedForm key={conversation.id} conversation={conversation} device={device} />;
}

const TemplateForm = lazyDialog(() => import('./template-form.tsx'), 'TemplateForm');

/** Some networks take messages only until 24 hours after the contact last wrote, and later only templates. */
function WindowedForm({ conversation, device }: { conversation: Conversation; device: Device | undefined }) {
  const t = useMessages(composerMessages);
  const { dateTime } = useFormats();
  const may = useMay();
  const { window_open_until: until, contact_number: contact } = conversation;
  const isPast = useIsPast(until);
  const hasWindow = until !== undefined || (device !== undefined && hasTemplates(device));
  if (!hasWindow) return <WriteForm conversation={conversation} />;
  const isOpen = until !== undefined && !isPast;
  // The API takes only numbers.
  const takesTemplate = contact.startsWith('+') && may('sendMessage') && may('listTemplates');
  return (
    <>
      <p className="border-t bg-surface px-4 pt-3 text-[0.8125rem] text-muted last:pb-3 lg:px-6">
        {until === undefined
          ? t.neverWrote
          : isOpen
            ? t.windowOpen(dateTime(until))
            : t.windowClosed(dateTime(until))}
        {!isOpen && !takesTemplate && ` ${t.waitForContact}`}
      </p>
      {isOpen && <WriteForm conversation={conversation} />}
      {!isOpen && takesTemplate && device !== undefined && (
        <TemplateForm conversation={conversation} device={device} />
      )}
    </>
  );
}

/** Returns whether the time has come, and renders again when it comes. */
function useIsPast(time: string | undefined): boolean {
  const [, setSeenAt] = useState(0);
  useEffect(() => {
    const left = Date.parse(time ?? '') - Date.now();
    if (!(left > 0)) return;
    const timer = setTimeout(() => setSeenAt(Date.now()), left + 100);
    return () => clearTimeout(timer);
  }, [time]);
  return time !== undefined && Date.parse(time) <= Date.now();
}

function WriteForm({ conversation: { id, team_id: team } }: { conversation: Conversation }) {
  const t = useMessages(conversationsMessages);
  const queries = useQueryClient();
  const { text, setText, restoredAt } = useDraft(`message:${id}`);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [chosen, setChosen] = useState(0);
  const [editing, setEditing] = useState(false);
  const desk = useMessages(deskMessages);
  const may = useMay();
  const files = useAttachments(id);
  const isReady = text.trim() !== '' || files.length > 0;
  const attach = useAttach(id);
  const stored = useQuery(savedRepliesQuery(team)).data;
  const saved = stored?.replies ?? [];
  const matches = matchingReplies(saved, text);
  const showTyping = useShowTyping(id);
  const insert = (reply: string) => {
    setText(reply);
    setChosen(0);
    if (reply.trim() !== '') showTyping();
  };
  const send = async () => {
    if (!isReady || busy || !files.every(isSendable)) return;
    setBusy(true);
    setError(null);
    try {
      let rest = text.trim();
      for (const file of files) {
        const caption = file.isVoice || rest.length > maxCaption ? '' : rest;
        await sendFile(id, file, caption);
        if (caption !== '') {
          rest = '';
          setText('');
        }
      }
      if (rest !== '') await api.writeToConversation({ id, text: rest });
      setText('');
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
      await queries.invalidateQueries({ queryKey: ['conversations'] });
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const { length } = matches;
    const moved = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const match = matches[chosen];
    if (moved !== undefined && length > 0) setChosen((chosen + moved + length) % length);
    else if ((event.key === 'Enter' || event.key === 'Tab') && match !== undefined) insert(match.text);
    else if (event.key === 'Enter' && !event.shiftKey) void send();
    else return;
    event.preventDefault();
  };
  return (
    <form onSubmit={submit} className="grid gap-2 border-t bg-surface px-4 py-3 lg:px-6">
      {error !== null && <ErrorNotice error={error} />}
      {matches.length > 0 && (
        <div
          role="listbox"
          id={`${id}-replies`}
          aria-label={desk.savedReplies}
          className="grid rounded-lg border bg-raised p-1"
        >
          {matches.map(({ name, text: reply }, index) => (
            <div
              key={name}
              id={`${id}-reply-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              className="flex cursor-default gap-3 rounded-md px-2.5 py-1.5 hover:bg-hover aria-selected:bg-hover"
              // The text must keep the focus.
              onPointerDown={(event) => {
                event.preventDefault();
                insert(reply);
              }}
            >
              <span className="shrink-0 font-medium">/{name}</span>
              <span className="truncate text-muted">{reply}</span>
            </div>
          ))}
        </div>
      )}
      <AttachmentList conversationId={id} attachments={files} />
      <div className="flex items-end gap-2">
        {may('sendFileToConversation') && <FileButtons conversationId={id} onFiles={attach} />}
        <Textarea
          data-composer
          aria-controls={matches.length > 0 ? `${id}-replies` : undefined}
          aria-activedescendant={matches.length > 0 ? `${id}-reply-${chosen}` : undefined}
          aria-label={t.write}
          placeholder={t.write}
          value={text}
          rows={1}
          maxLength={4096}
          className="max-h-48 min-h-10!"
          onChange={(event) => insert(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={(event: ClipboardEvent) => {
            const pasted = [...event.clipboardData.files];
            if (pasted.length === 0) return;
            event.preventDefault();
            attach(pasted);
          }}
        />
        <Button
          type="submit"
          look="primary"
          className="h-10"
          busy={busy}
          disabled={!isReady || !files.every(isSendable)}
        >
          {!busy && <SendHorizontal aria-hidden className="size-4" />}
          <span className="max-sm:sr-only">{t.send}</span>
        </Button>
      </div>
      <RestoredNotice at={restoredAt} onDiscard={() => setText('')} />
      <p className="flex flex-wrap gap-x-3 text-muted text-xs">
        {t.writeHint}
        {may('putSavedReplies') && (
          <Button look="ghost" size="inline" className="rounded underline" onClick={() => setEditing(true)}>
            {desk.savedReplies}
          </Button>
        )}
      </p>
      {editing && stored !== undefined && (
        <SavedRepliesDialog team={team} stored={stored} onClose={() => setEditing(false)} />
      )}
    </form>
  );
}

const showTypingMs = 3_000;

/** Returns a function that shows colleagues that the person writes. */
function useShowTyping(id: string): () => void {
  const shownAt = useRef(Number.NEGATIVE_INFINITY);
  return () => {
    if (performance.now() - shownAt.current < showTypingMs) return;
    shownAt.current = performance.now();
    void api.noteTyping({ id }).catch(() => undefined);
  };
}

/** Returns a function that adds files to the next message. */
export function useAttach(conversationId: string) {
  const t = useMessages(composerMessages);
  return (files: readonly File[]) => {
    if (addFiles(conversationId, files) > 0) toastError(new Error(t.tooMany));
  };
}

function FileButtons({
  conversationId,
  onFiles,
}: {
  conversationId: string;
  onFiles: (files: readonly File[]) => void;
}) {
  const t = useMessages(composerMessages);
  const input = useRef<HTMLInputElement>(null);
  const { seconds, busy, start, finish, discard } = useRecorder(
    (file) => void addFiles(conversationId, [file], { isVoice: true }),
    (error) => toastError(isDenied(error) ? new Error(t.noMicrophone) : error),
  );
  if (seconds !== null)
    return (
      <div className="flex items-center gap-1">
        <Button look="ghost" size="icon" aria-label={t.discard} onClick={discard}>
          <Trash2 aria-hidden className="size-4" />
        </Button>
        <span role="timer" className="text-danger text-[0.8125rem] tabular-nums">
          {t.recording(`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`)}
        </span>
        <Button look="ghost" size="icon" aria-label={t.finish} onClick={finish}>
          <Square aria-hidden className="size-4 text-danger" />
        </Button>
      </div>
    );
  return (
    <div className="flex">
      <Button
        look="ghost"
        size="icon"
        className="h-10"
        aria-label={t.attach}
        onClick={() => input.current?.click()}
      >
        <Paperclip aria-hidden className="size-4" />
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        aria-label={t.attach}
        className="hidden"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      {canRecord() && (
        <Button
          look="ghost"
          size="icon"
          className="h-10"
          aria-label={t.record}
          busy={busy}
          onClick={() => void start()}
        >
          {!busy && <Mic aria-hidden className="size-4" />}
        </Button>
      )}
    </div>
  );
}

/** The person, the browser or the page around a portal refused the microphone, or there is none. */
const isDenied = (error: unknown): boolean =>
  error instanceof DOMException && ['NotAllowedError', 'NotFoundError', 'SecurityError'].includes(error.name);
