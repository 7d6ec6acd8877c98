import type { TeamDetail, TeamUsage } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bot, FileText, Inbox, type LucideIcon, Smartphone } from 'lucide-react';
import { shellMessages } from '../../app/shell.messages.ts';
import { CopyText } from '../../components/copy-text.tsx';
import { Facts } from '../../components/facts.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Card } from '../../components/ui/card.tsx';
import { Meter } from '../../components/ui/meter.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { quotaMessages, quotaNames } from '../../lib/quotas.messages.ts';
import { AiUsage } from './ai-usage.tsx';
import { MessagePrices } from './message-prices.tsx';
import { teamMessages } from './team.messages.ts';
import { teamsMessages } from './teams.messages.ts';
import { earlierUsageQuery, teamUsageQuery } from './teams.queries.ts';

export function TeamOverview({ team }: { team: TeamDetail }) {
  const t = useMessages(teamMessages);
  const usage = useQuery(teamUsageQuery(team.id));
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[1fr_20rem]">
      <div className="grid gap-6">
        <Loaded query={usage}>
          {(data) => (
            <>
              <ActiveMessages usage={data} />
              <Card title={t.quotas} description={t.quotasHint}>
                <Quotas usage={data} />
              </Card>
              <AiUsage usage={data.ai} />
              <MessagePrices usage={data} />
              <EarlierMonth teamId={team.id} month={data.active_messages.month} />
            </>
          )}
        </Loaded>
      </div>
      <div className="grid gap-6">
        <TeamDetails team={team} />
        <TeamContents teamId={team.id} usage={usage.data} />
      </div>
    </div>
  );
}

/** What the month before cost and used. */
function EarlierMonth({ teamId, month: present }: { teamId: string; month: string }) {
  const t = useMessages(teamMessages);
  const quotas = useMessages(quotaMessages);
  const { number, month } = useFormats();
  const { data } = useQuery(earlierUsageQuery(teamId, present));
  if (data === undefined) return null;
  const { active_messages: active, ai, quotas: used } = data;
  return (
    <>
      <Card title={month(active.month)}>
        <Facts
          facts={[
            [t.activeMessages, number(active.used)],
            [quotas.credits, number(used.credits.used)],
            [t.aiCalls, number(ai.calls)],
            [t.aiCost, ai.cost === null ? t.aiUnknown : number(ai.cost)],
          ]}
        />
      </Card>
      <MessagePrices usage={data} />
    </>
  );
}

function ActiveMessages({ usage: { active_messages: messages } }: { usage: TeamUsage }) {
  const t = useMessages(teamMessages);
  const { number, month } = useFormats();
  return (
    <Card title={t.activeMessages} description={t.activeMessagesHint(month(messages.month))}>
      <Meter
        label={t.remaining(number(messages.remaining))}
        used={messages.used}
        limit={messages.quota}
        text={t.of(number(messages.used), number(messages.quota))}
      />
      <p className="mt-3 text-muted text-[0.8125rem]">
        {t.margin(number(messages.quota), number(messages.limit))}
      </p>
    </Card>
  );
}

function Quotas({ usage }: { usage: TeamUsage }) {
  const t = useMessages(teamMessages);
  const quotas = useMessages(quotaMessages);
  const { number } = useFormats();
  return (
    <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
      {quotaNames.map((name) => {
        const { used, limit } = usage.quotas[name];
        return (
          <Meter
            key={name}
            label={quotas[name]}
            used={used}
            limit={limit}
            text={t.of(number(used), number(limit))}
          />
        );
      })}
    </div>
  );
}

function TeamDetails({ team }: { team: TeamDetail }) {
  const t = useMessages(teamMessages);
  const list = useMessages(teamsMessages);
  const common = useMessages(commonMessages);
  const { dateTime } = useFormats();
  return (
    <Card title={t.details}>
      <Facts
        facts={[
          [list.plan, team.plan_name],
          [list.paying, team.paying ? common.yes : common.no],
          [common.created, dateTime(team.created_at)],
          [common.updated, dateTime(team.updated_at)],
          [t.id, <CopyText key="id" text={team.id} label={t.id} />],
        ]}
      />
    </Card>
  );
}

function TeamContents({ teamId, usage }: { teamId: string; usage: TeamUsage | undefined }) {
  const t = useMessages(teamMessages);
  const shell = useMessages(shellMessages);
  return (
    <Card title={t.contents}>
      <ul className="-mx-2 -my-1 grid">
        <ContentLink
          to="/bots"
          teamId={teamId}
          icon={Bot}
          label={shell.bots}
          count={usage?.quotas.bots.used}
        />
        <ContentLink
          to="/documents"
          teamId={teamId}
          icon={FileText}
          label={shell.documents}
          count={usage?.quotas.documents.used}
        />
        <ContentLink
          to="/devices"
          teamId={teamId}
          icon={Smartphone}
          label={shell.devices}
          count={usage?.quotas.accounts.used}
        />
        <ContentLink to="/conversations" teamId={teamId} icon={Inbox} label={shell.conversations} />
      </ul>
    </Card>
  );
}

function ContentLink({
  to,
  teamId,
  icon: Icon,
  label,
  count,
}: {
  to: '/bots' | '/documents' | '/devices' | '/conversations';
  teamId: string;
  icon: LucideIcon;
  label: string;
  count?: number | undefined;
}) {
  const { number } = useFormats();
  return (
    <li>
      <Link
        to={to}
        search={{ team: teamId }}
        className="flex items-center gap-2.5 rounded-lg px-2 py-2 font-medium hover:bg-hover"
      >
        <Icon aria-hidden className="size-4 text-muted" />
        <span className="flex-1">{label}</span>
        {count !== undefined && <span className="text-muted tabular-nums">{number(count)}</span>}
      </Link>
    </li>
  );
}
