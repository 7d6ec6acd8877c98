import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { useMay } from '../../app/use-may.ts';
import { Button } from '../../components/ui/button.tsx';
import { toastError } from '../../components/ui/toast.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { conversationsMessages } from '../conversations/conversations.messages.ts';
import { answerQuery } from '../conversations/conversations.queries.ts';

/** Makes a case of an answer, and opens it to say what the answer should have been. */
export function CaseButton({ messageId }: { messageId: string }) {
  const t = useMessages(conversationsMessages);
  const may = useMay();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    async mutationFn() {
      const { bot_id: id } = await queries.fetchQuery(answerQuery(messageId));
      return api.createCase({ id, message_id: messageId });
    },
    async onSuccess({ id, bot_id: botId }) {
      await navigate({ to: '/bots/$botId', params: { botId }, search: { tab: 'quality', case: id } });
    },
    onError: toastError,
  });
  if (!may('createCase')) return null;
  return (
    <Button look="link" size="inline" disabled={create.isPending} onClick={() => create.mutate()}>
      {t.makeCase}
    </Button>
  );
}
