import { isIP } from 'node:net';
import { countAnswers, countAnswersOfBots } from '../../chat/answering/answers.sql.ts';
import { countOptedOut } from '../../chat/consents/consents.sql.ts';
import { selectEndpoints, selectLivePolicies } from '../../knowledge/bots/bots.sql.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { timestamp } from '../../platform/http/fields.ts';
import { isPublicAddress } from '../../platform/outbound/public-address.ts';
import type { Clock } from '../../platform/shared/clock.ts';
import { countAudited } from '../../records/audit/audit.sql.ts';
import { countEvents } from '../../records/events/events.sql.ts';
import { selectReceivers } from '../../records/webhooks/webhooks.sql.ts';
import type { Disclosure } from '../../tenancy/teams/disclosure.ts';
import { getTeam } from '../../tenancy/teams/teams.ts';
import type { Compliance, ComplianceQuery, Recipient, Storage } from './compliance.schemas.ts';

/** What the configuration of the running process says. */
export interface Deployment {
  disclosure: Disclosure;
  /** Why the notice is off by default. */
  offReason: string | null;
  services: readonly Pick<Recipient, 'kind' | 'name' | 'host'>[];
  storage: Storage;
}

export interface ComplianceDependencies {
  db: Database;
  clock: Pick<Clock, 'now'>;
  deployment: Deployment;
}

const dayMs = 86_400_000;

export async function readCompliance(
  { db, clock, deployment }: ComplianceDependencies,
  actor: Actor,
  id: string,
  { days }: ComplianceQuery,
): Promise<Compliance> {
  const team = await getTeam(db, actor, id);
  const until = clock.now();
  const time = { since: new Date(until.getTime() - days * dayMs), until };
  const { answers, conversations, noticed } = await countAnswers(db, team.id, time);
  const ofBots = await countAnswersOfBots(db, team.id, time);
  const events = await countEvents(
    db,
    team.id,
    [
      'contact.opted_out',
      'contact.opted_in',
      'contact.automated',
      'conversation.human_requested',
      'conversation.paused',
    ],
    time,
  );
  const { disclosure, retention_days } = team.settings;
  const { mode, reason = deployment.offReason } = disclosure ?? deployment.disclosure;
  return {
    team_id: team.id,
    team_name: team.name,
    since: timestamp(time.since),
    until: timestamp(time.until),
    disclosure: {
      mode,
      reason: mode === 'off' ? reason : null,
      set_by: disclosure === null ? 'deployment' : 'team',
    },
    answers,
    conversations: { answered: conversations, noticed, automated: events['contact.automated'] },
    opt_outs: {
      now: await countOptedOut(db, team.id),
      added: events['contact.opted_out'],
      undone: events['contact.opted_in'],
    },
    people: {
      requested: events['conversation.human_requested'],
      took_over: events['conversation.paused'],
    },
    bots: (await selectLivePolicies(db, [...ofBots.keys()])).map(({ disclosure_mode, ...bot }) => ({
      ...bot,
      disclosure_mode: disclosure_mode as Disclosure['mode'] | null,
      answers: ofBots.get(bot.id)?.answers ?? 0,
      off_topic: ofBots.get(bot.id)?.offTopic ?? 0,
    })),
    retention_days,
    erasures: await countAudited(db, team.id, 'eraseContact', time),
    exports: await countAudited(db, team.id, 'exportContact', time),
    recipients: presentRecipients([
      ...deployment.services,
      ...listHosts('webhook', await selectReceivers(db, team.id)),
      ...listHosts('action', await selectEndpoints(db, team.id)),
    ]),
    storage: deployment.storage,
  };
}

const listHosts = (kind: Recipient['kind'], addresses: readonly string[]) =>
  [...new Set(addresses.map(readHost))].toSorted().map((host) => ({ kind, name: null, host }));

/** Endpoints of actions may have placeholders behind the host. */
const readHost = (address: string): string => {
  const [, authority = ''] = /^[a-z]+:\/\/([^/?#]+)/i.exec(address) ?? [];
  return authority.replace(/^.*@/, '').toLowerCase();
};

const presentRecipients = (services: Deployment['services']): Recipient[] =>
  services.map((service) => ({ ...service, own: service.host !== null && isOwn(service.host) }));

/** An address that is not public, or a name that only a private network resolves. */
function isOwn(host: string): boolean {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  if (isIP(name) !== 0) return !isPublicAddress(name);
  return !name.includes('.') || /\.(internal|local|localhost|lan)$/.test(name);
}
