import type { Conversation } from '@parley/sdk';
import { Badge } from '../../components/ui/badge.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { conversationsMessages } from './conversations.messages.ts';

/** Why a person should look at the conversation, and whether the bot is paused. */
export function ConversationBadges({ conversation: { flag, state } }: { conversation: Conversation }) {
  const t = useMessages(conversationsMessages);
  if (flag === undefined && state === 'bot') return null;
  return (
    <span className="flex shrink-0 gap-1">
      {flag !== undefined && (
        <Badge tone={flag === 'payment_captured' ? 'accent' : 'warning'}>{t.flags[flag]}</Badge>
      )}
      {state === 'paused' && <Badge tone="accent">{t.states.paused}</Badge>}
    </span>
  );
}
