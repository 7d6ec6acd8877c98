import { useMutation } from '@tanstack/react-query';
import { Eye } from 'lucide-react';
import { api } from '../../api/client.ts';
import { useActor } from '../../app/use-session.ts';
import { Button } from '../../components/ui/button.tsx';
import { toastError } from '../../components/ui/toast.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { teamMessages } from './team.messages.ts';

/** Opens the console of the team in another tab, with a link that the audit log names. */
export function ViewAs({ team }: { team: string }) {
  const t = useMessages(teamMessages);
  const { role } = useActor();
  const look = useMutation({
    mutationFn: () => api.createPortalLink({ team_id: team, role: role === 'support' ? 'agent' : 'editor' }),
    onSuccess({ url }) {
      const { pathname, hash } = new URL(url);
      // Without an opener, the tab gets no copy of this tab's storage.
      open(`${pathname}${hash}`, '_blank', 'noopener');
    },
    onError: toastError,
  });
  return (
    <Button busy={look.isPending} onClick={() => look.mutate()}>
      <Eye aria-hidden className="size-4" />
      {t.viewAs}
    </Button>
  );
}
