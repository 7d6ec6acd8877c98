import type { Compliance } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Printer } from 'lucide-react';
import { canOpen } from '../../app/navigation.ts';
import { shellMessages } from '../../app/shell.messages.ts';
import { useActor } from '../../app/use-session.ts';
import { Facts } from '../../components/facts.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { Select } from '../../components/ui/select.tsx';
import { commonMessages } from '../../i18n/common.messages.ts';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { complianceMessages } from './compliance.messages.ts';
import { teamsMessages } from './teams.messages.ts';
import { complianceQuery } from './teams.queries.ts';

const route = getRouteApi('/teams/$teamId/compliance');

const times = [30, 90, 365] as const;

/** A printer gets only the report (see `@media print` in styles.css). */
export function CompliancePage() {
  const list = useMessages(teamsMessages);
  const t = useMessages(complianceMessages);
  const shell = useMessages(shellMessages);
  const actor = useActor();
  const { number, date } = useFormats();
  const { teamId } = route.useParams();
  const { days = times[0] } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(complianceQuery(teamId, days));
  const report = query.data;
  return (
    <Page
      title={report === undefined ? t.title : `${t.title}: ${report.team_name}`}
      crumbs={
        actor.teamId === null
          ? [
              { label: list.title, to: '/teams' },
              { label: report?.team_name ?? '…', to: `/teams/${teamId}` },
            ]
          : canOpen(actor, '/settings')
            ? [{ label: shell.settings, to: '/settings' }]
            : []
      }
      description={report && t.of(date(report.since), date(report.until))}
      actions={
        <>
          <Select
            label={t.time}
            value={String(days)}
            choices={times.map((time) => ({ value: String(time), label: t.days(number(time)) }))}
            onChange={(chosen) => void navigate({ search: { days: Number(chosen) }, replace: true })}
          />
          <Button onClick={() => window.print()}>
            <Printer aria-hidden className="size-4" />
            {t.print}
          </Button>
        </>
      }
    >
      <Loaded query={query}>{(data) => <Report report={data} />}</Loaded>
    </Page>
  );
}

function Report({ report }: { report: Compliance }) {
  const t = useMessages(complianceMessages);
  const { number } = useFormats();
  const { disclosure, conversations, opt_outs: optOuts, people, storage } = report;
  return (
    <div className="grid gap-6">
      <Card title={t.notice}>
        <Facts
          facts={[
            [t.mode, t.modes[disclosure.mode]],
            ...(disclosure.reason === null ? [] : [[t.reason, disclosure.reason] as const]),
            [t.setBy, t.setters[disclosure.set_by]],
            [t.answers, number(report.answers)],
            [t.answered, number(conversations.answered)],
            [t.noticed, number(conversations.noticed)],
            [t.automated, number(conversations.automated)],
          ]}
        />
      </Card>
      {report.bots.map((bot) => (
        <Card key={bot.id} title={`${t.bot} ${bot.name}`}>
          <Facts
            facts={[
              [t.purpose, bot.purpose ?? t.noPurpose],
              ...(bot.disclosure_mode === null ? [] : [[t.notice, t.modes[bot.disclosure_mode]] as const]),
              [t.answers, number(bot.answers)],
              [t.offTopic, number(bot.off_topic)],
            ]}
          />
        </Card>
      ))}
      <Card title={t.contacts}>
        <Facts
          facts={[
            [t.optedOut, number(optOuts.now)],
            [t.optOuts, number(optOuts.added)],
            [t.undone, number(optOuts.undone)],
            [t.requested, number(people.requested)],
            [t.tookOver, number(people.took_over)],
            [t.erasures, number(report.erasures)],
            [t.exports, number(report.exports)],
          ]}
        />
      </Card>
      <Card title={t.place}>
        <Facts
          facts={[
            [t.retention, t.retentionDays(number(report.retention_days))],
            [t.database, t.databases[storage.database]],
            [t.files, t.stores[storage.files]],
            [t.documents, t.documentPlaces[storage.documents]],
          ]}
        />
      </Card>
      <Recipients recipients={report.recipients} />
      <p className="text-muted text-[0.8125rem]">{t.hint}</p>
    </div>
  );
}

function Recipients({ recipients }: Pick<Compliance, 'recipients'>) {
  const t = useMessages(complianceMessages);
  const common = useMessages(commonMessages);
  return (
    <Card title={t.recipients} description={t.recipientsHint}>
      {recipients.length === 0 ? (
        <p>{t.nobody}</p>
      ) : (
        <table className="w-full text-left">
          <thead className="text-muted text-[0.8125rem]">
            <tr>
              <th className="pr-4 pb-2 font-normal">{t.recipient}</th>
              <th className="pb-2 font-normal">{t.gets}</th>
            </tr>
          </thead>
          <tbody>
            {recipients.map(({ kind, name, host, own }) => (
              <tr key={`${kind} ${host}`} className="align-top">
                <td className="py-1 pr-4 wrap-anywhere">
                  {[name, host].filter((part) => part !== null).join(', ') || common.none}
                  {own && ` (${t.own})`}
                </td>
                <td className="py-1">{t.kinds[kind]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}
