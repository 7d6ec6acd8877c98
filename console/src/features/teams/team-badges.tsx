import type { Team } from '@parley/sdk';
import { Badge } from '../../components/ui/badge.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { teamsMessages } from './teams.messages.ts';

export function TeamBadges({ team }: { team: Pick<Team, 'banned' | 'paying'> }) {
  const t = useMessages(teamsMessages);
  return (
    <span className="flex flex-wrap gap-1.5 sm:flex-nowrap">
      {team.banned ? <Badge tone="danger">{t.suspended}</Badge> : <Badge tone="success">{t.active}</Badge>}
      {!team.paying && <Badge>{t.notPaying}</Badge>}
    </span>
  );
}
