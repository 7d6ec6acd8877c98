import { MessagesSquare } from 'lucide-react';
import { EmptyState } from '../../components/empty-state.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { conversationsMessages } from './conversations.messages.ts';

/** Beside the inbox on wide screens. */
export function NoConversation() {
  const t = useMessages(conversationsMessages);
  return (
    <div className="hidden flex-1 place-items-center lg:grid">
      <EmptyState icon={MessagesSquare} title={t.choose}>
        {t.chooseHint}
      </EmptyState>
    </div>
  );
}
