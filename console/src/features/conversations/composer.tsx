import type { Conversation } from '@parley/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { SendHorizontal } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { api } from '../../api/client.ts';
import { useDraft } from '../../app/use-draft.ts';
import { useMay } from '../../app/use-may.ts';
import { RestoredNotice } from '../../components/edit-notices.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Textarea } from '../../components/ui/field.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { liveDeviceQuery } from '../devices/devices.queries.ts';
import { conversationsMessages } from './conversations.messages.ts';
import { deskMessages } from './desk.messages.ts';
import { savedRepliesQuery } from './desk.queries.ts';
import { matchingReplies } from './matching-replies.ts';
import { SavedRepliesDialog } from './saved-replies.tsx';

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
  return <WriteForm key={conversation.id} conversation={conversation} />;
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
  const stored = useQuery(savedRepliesQuery(team)).data;
  const saved = stored?.replies ?? [];
  const matches = matchingReplies(saved, text);
  const insert = (reply: string) => {
    setText(reply);
    setChosen(0);
  };
  const send = async () => {
    if (text.trim() === '' || busy) return;
    setBusy(true);
    setError(null);
    try {
      await api.writeToConversation({ id, text: text.trim() });
      setText('');
      await queries.invalidateQueries({ queryKey: ['conversations'] });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
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
      <div className="flex items-end gap-2">
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
        />
        <Button type="submit" look="primary" className="h-10" busy={busy} disabled={text.trim() === ''}>
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
