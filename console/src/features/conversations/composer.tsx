import type { Conversation } from '@parley/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { SendHorizontal } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { api } from '../../api/client.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Textarea } from '../../components/ui/field.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { deviceQuery } from '../devices/devices.queries.ts';
import { conversationsMessages } from './conversations.messages.ts';

/** Answers as a person. The API refuses this unless the device is connected. */
export function Composer({ conversation }: { conversation: Conversation }) {
  const t = useMessages(conversationsMessages);
  const device = useQuery(deviceQuery(conversation.device_id)).data;
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
  return <WriteForm conversation={conversation} />;
}

function WriteForm({ conversation: { id } }: { conversation: Conversation }) {
  const t = useMessages(conversationsMessages);
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
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
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  };
  return (
    <form onSubmit={submit} className="grid gap-2 border-t bg-surface px-4 py-3 lg:px-6">
      {error !== null && <ErrorNotice error={error} />}
      <div className="flex items-end gap-2">
        <Textarea
          aria-label={t.write}
          placeholder={t.write}
          value={text}
          rows={1}
          maxLength={4096}
          className="max-h-48 min-h-10!"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <Button type="submit" look="primary" className="h-10" busy={busy} disabled={text.trim() === ''}>
          {!busy && <SendHorizontal aria-hidden className="size-4" />}
          <span className="max-sm:sr-only">{t.send}</span>
        </Button>
      </div>
      <p className="text-muted text-xs">{t.writeHint}</p>
    </form>
  );
}
