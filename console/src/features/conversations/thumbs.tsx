import type { MessageRecord } from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { ThumbsDown, ThumbsUp } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useMay } from '../../app/use-may.ts';
import { Button } from '../../components/ui/button.tsx';
import { toastError } from '../../components/ui/toast.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { thumbsMessages } from './thumbs.messages.ts';

const icons = { up: ThumbsUp, down: ThumbsDown };

/** The thumbs of people of the team and of the contact for an answer of the bot. */
export function Thumbs({ message }: { message: MessageRecord }) {
  const t = useMessages(thumbsMessages);
  const may = useMay();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const { id, rating, contact_rating: byContact } = message;
  const rate = async (chosen: 'up' | 'down') => {
    setBusy(true);
    try {
      await api.rateMessage({ id, rating: chosen === rating ? null : chosen });
      await queries.invalidateQueries({ queryKey: ['threads'] });
      await queries.invalidateQueries({ queryKey: ['conversations', 'newest'] });
      await queries.invalidateQueries({ queryKey: ['bots', 'unanswered'] });
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {byContact !== undefined && (
        <span className="text-foreground">
          <span aria-hidden>{byContact === 'up' ? '👍' : '👎'}</span> {t.byContact[byContact]}
        </span>
      )}
      {may('rateMessage') &&
        (['up', 'down'] as const).map((thumb) => {
          const Icon = icons[thumb];
          return (
            <Button
              key={thumb}
              look="ghost"
              size="inline"
              className="rounded p-1"
              aria-label={t.rate[thumb]}
              aria-pressed={rating === thumb}
              disabled={busy}
              onClick={() => void rate(thumb)}
            >
              <Icon aria-hidden className="size-3.5" fill={rating === thumb ? 'currentColor' : 'none'} />
            </Button>
          );
        })}
    </>
  );
}
