import type { MessageRecord } from '@parley/sdk';
import { Check, CheckCheck, CircleAlert, CircleHelp, Clock } from 'lucide-react';
import { memo } from 'react';
import { Button } from '../../components/ui/button.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { cn } from '../../lib/class-names.ts';
import { ImproveButton } from '../improve/improve-button.tsx';
import { CaseButton } from '../quality/case-button.tsx';
import { AnswerTrace } from './answer-trace.tsx';
import { conversationsMessages } from './conversations.messages.ts';
import { MessageMedia } from './message-media.tsx';
import { Thumbs } from './thumbs.tsx';

/** One message with its delivery state, or the reason why it got no answer. `day` begins a new day. */
export const MessageItem = memo(
  ({
    conversationId,
    message,
    day,
    showsTrace,
    onToggleTrace,
  }: {
    conversationId: string;
    message: MessageRecord;
    day: string | null;
    showsTrace: boolean;
    onToggleTrace: (messageId: string) => void;
  }) => {
    const t = useMessages(conversationsMessages);
    const { time } = useFormats();
    const isOut = message.direction === 'out';
    return (
      <>
        {day !== null && <p className="my-2 text-center text-muted text-xs">{day}</p>}
        <div
          className={cn(
            'grid max-w-[85%] gap-1 sm:max-w-[34rem]',
            isOut ? 'justify-items-end justify-self-end' : 'justify-self-start',
          )}
        >
          <div
            className={cn(
              'rounded-2xl px-3.5 py-2',
              isOut ? 'rounded-br-md bg-accent text-on-accent' : 'rounded-bl-md border bg-surface',
            )}
          >
            {message.kind !== 'text' && <MessageMedia message={message} />}
            {message.text !== '' && (
              <p dir="auto" className="whitespace-pre-wrap wrap-anywhere">
                {message.text}
              </p>
            )}
          </div>
          <p className="flex flex-wrap items-center gap-x-1.5 px-1 text-muted text-xs">
            {isOut && <span>{t.origins[message.origin]}</span>}
            <time dateTime={message.created_at}>{time(message.created_at)}</time>
            {isOut ? <DeliveryStatus message={message} /> : <Outcome message={message} />}
            {message.origin === 'bot' && (
              <Button
                look="link"
                size="inline"
                aria-expanded={showsTrace}
                onClick={() => onToggleTrace(message.id)}
              >
                {t.trace}
              </Button>
            )}
            {message.origin === 'bot' && (
              <ImproveButton conversationId={conversationId} messageId={message.id} />
            )}
            {message.origin === 'bot' && <CaseButton messageId={message.id} />}
            {message.origin === 'bot' && <Thumbs message={message} />}
          </p>
          {showsTrace && <AnswerTrace messageId={message.id} />}
        </div>
      </>
    );
  },
);

const statusIcons = {
  accepted: Clock,
  sent: Check,
  delivered: CheckCheck,
  read: CheckCheck,
  refused: CircleAlert,
  unknown: CircleHelp,
};

function DeliveryStatus({ message: { status, failure, refunded } }: { message: MessageRecord }) {
  const t = useMessages(conversationsMessages);
  if (status === 'received' || status === 'answered' || status === 'ignored') return null;
  const Icon = statusIcons[status];
  const failed = status === 'refused' || status === 'unknown';
  return (
    <span
      className={cn(
        'inline-flex items-center gap-1',
        failed && 'text-danger',
        status === 'read' && 'text-accent-text',
      )}
    >
      <Icon aria-hidden className="size-3.5" />
      {t.statuses[status]}
      {failed && failure !== undefined && `: ${failure}`}
      {refunded && ` (${t.refunded})`}
    </span>
  );
}

function Outcome({ message: { outcome, outcome_reason: reason } }: { message: MessageRecord }) {
  const t = useMessages(conversationsMessages);
  if (outcome === undefined || outcome === 'answered') return null;
  return (
    <span className={cn('inline-flex items-center gap-1', outcome !== 'waiting' && 'text-warning')}>
      {outcome === 'waiting' ? (
        <Clock aria-hidden className="size-3.5" />
      ) : (
        <CircleAlert aria-hidden className="size-3.5" />
      )}
      {t.outcomes[outcome]}
      {reason !== undefined && ` (${reason})`}
    </span>
  );
}
