// biome-ignore-all lint/suspicious/noTemplateCurlyInString: source text that contains template literals
import type { Defect } from '../defect.ts';

const events = 'server/src/records/events/events.test.ts';
const webhooks = 'server/src/records/webhooks/webhooks.test.ts';
const audit = 'server/src/records/audit/audit.reliability.test.ts';
const contacts = 'server/src/lifecycle/contacts/contacts.test.ts';

/** Events, webhooks, the audit log, retention and erasure. */
export const eventDefects: readonly Defect[] = [
  {
    name: 'wait-for-locked-deliveries',
    file: 'server/src/records/webhooks/deliveries.queries.ts',
    find: '${delivery} for no key update skip locked',
    replace: '${delivery} for no key update',
    test: {
      file: 'server/src/records/webhooks/webhooks.test.ts',
      name: 'locked rows of one webhook delay no outcome of another',
    },
    why: 'Locked rows of one team would delay the outcomes of all webhooks, and their deliveries would be repeated.',
  },
  {
    name: 'read-all-waiting-deliveries',
    file: 'server/src/records/webhooks/deliveries.queries.ts',
    find: 'attempt.webhook_id limit 1`',
    replace: 'attempt.webhook_id`',
    test: {
      file: 'server/src/records/webhooks/deliveries.test.ts',
      name: 'stores outcomes without reading the other waiting deliveries',
    },
    why: 'Storing outcomes would take longer with each event that waits.',
  },
  {
    name: 'let-one-team-open-all-streams',
    file: 'server/src/records/events/event-feed.ts',
    find: 'own.length >= maxStreamsPerTeam',
    replace: 'own.length >= maxStreams',
    test: {
      file: 'server/src/records/events/event-stream.test.ts',
      name: 'opens at most 200 streams of one team',
    },
    why: 'One team could keep all others from opening event streams.',
  },
  {
    name: 'read-events-above-the-watermark',
    file: 'server/src/records/events/events.queries.ts',
    find: 'and e.xid < mark.watermark and',
    replace: 'and',
    test: { file: events, name: 'reaches an event that commits after later ones' },
    why: 'A cursor would skip an event whose transaction ended late.',
  },
  {
    name: 'accept-cursors-of-the-future',
    file: 'server/src/records/events/events.queries.ts',
    find: 'select ${xid}::xid8 <= pg_snapshot_xmax(pg_current_snapshot()) and not',
    replace: 'select not',
    test: { file: events, name: 'refuses unknown types and cursors that this database did not issue' },
    why: 'A cursor from before a restore would stall.',
  },
  {
    name: 'stream-the-events-of-all-teams',
    file: 'server/src/records/events/event-stream.ts',
    find: "(scope.kind === 'all' || team_id === scope.teamId) &&",
    replace: "(scope.kind === 'all' || team_id !== undefined) &&",
    test: {
      file: 'server/src/records/events/event-stream.test.ts',
      name: 'shows only the events of its team to a key of scope team',
    },
    why: 'A team would see the messages of other teams.',
  },
  {
    name: 'sign-with-the-current-secret-only',
    file: 'server/src/records/webhooks/secrets.ts',
    find: '...(previous === null ? [] : [previous])',
    replace: '...[]',
    test: { file: webhooks, name: 'signs with both secrets for 24 hours after a rotation' },
    why: 'A rotation would break receivers until they have the new secret.',
  },
  {
    name: 'overtake-within-a-conversation',
    file: 'server/src/records/webhooks/deliveries.queries.ts',
    find: "earlier.status = 'pending' and earlier.chat = d.chat",
    replace: "earlier.status = 'none' and earlier.chat = d.chat",
    test: { file: webhooks, name: 'delivers the events of one conversation in order' },
    why: 'Events of one conversation would arrive out of order.',
  },
  {
    name: 'deliver-the-events-of-all-teams',
    file: 'server/src/records/webhooks/deliveries.queries.ts',
    find: '(w.team_id is null or w.team_id = e.team_id) and ${isSubscribed}',
    replace: '${isSubscribed}',
    test: { file: webhooks, name: 'delivers events of its types and team, signed, once' },
    why: "A team's webhook would receive the messages of other teams.",
  },
  {
    name: 'keep-a-gone-receiver',
    file: 'server/src/records/webhooks/deliveries.ts',
    find: 'gone: responseStatus === gone',
    replace: 'gone: responseStatus === null',
    test: { file: webhooks, name: ', with an event, and delivers what waited once it is enabled' },
    why: 'Parley would post to a receiver that asked it to stop.',
  },
  {
    name: 'put-texts-into-thin-payloads',
    file: 'server/src/records/webhooks/payload.ts',
    find: 'if (!thin) return',
    replace: 'if (!thin || event.id !== "") return',
    test: { file: webhooks, name: 'leaves texts and numbers out of thin payloads' },
    why: 'Texts of contacts would leave although the partner chose thin payloads.',
  },
  {
    name: 'change-without-an-audit-row',
    file: 'server/src/platform/database/pool-driver.ts',
    find: 'audited === null',
    replace: "audited !== 'always'",
    test: { file: audit, name: 'writes its rows with the change' },
    why: 'Changes over the API would leave no trace.',
  },
  {
    name: 'chain-without-the-hash-before',
    file: 'server/src/records/audit/chain.ts',
    find: "`${before.toString('hex')}\\n${text}`",
    replace: '`${before.length}\\n${text}`',
    test: { file: audit, name: 'finds a removed row behind an intact hash' },
    why: 'Somebody could remove a row and renumber the others.',
  },
  {
    name: 'erase-without-the-stored-results',
    file: 'server/src/lifecycle/contacts/contacts.ts',
    find: '  await forgetFoundResults(tx, encryption, isOfContact, foundResults);\n',
    replace: '',
    test: { file: contacts, name: 'erases a contact from the whole database, and no other contact' },
    why: 'The number of an erased contact would stay in stored results of requests.',
  },
  {
    name: 'erase-for-all-teams',
    file: 'server/src/chat/conversations/conversations.sql.ts',
    find: 'delete from conversations where ${isOfContact(contact)}',
    replace: 'delete from conversations where contact_number = any(${contact.forms}::text[])',
    test: {
      file: contacts,
      name: "neither exports nor erases another team's contact with a key of scope team",
    },
    why: "A team could delete another team's conversations.",
  },
  {
    name: 'write-before-the-long-reads-of-an-erasure',
    file: 'server/src/lifecycle/contacts/contacts.ts',
    find: '  const foundEvents = await selectEventsOfContact(tx, contact);\n  const conversations = await deleteConversationsOfContact(tx, contact);\n',
    replace:
      '  const conversations = await deleteConversationsOfContact(tx, contact);\n  const foundEvents = await selectEventsOfContact(tx, contact);\n',
    test: { file: contacts, name: ', for which later events wait' },
    why: 'One team could hold up the events of all teams.',
  },
  {
    name: 'replay-the-events-of-all-teams',
    file: 'server/src/records/events/events.sql.ts',
    find: 'teamId === null ? sql`true` : sql`team_id = ${teamId}::uuid`',
    replace: 'sql`true`',
    test: {
      file: 'server/src/records/webhooks/deliveries.test.ts',
      name: 'replays the events of a team without reading those of others',
    },
    why: "A team's webhook would receive the messages of other teams.",
  },
  {
    name: 'read-ahead-without-a-limit-of-bytes',
    file: 'server/src/records/webhooks/receiver.ts',
    find: ' || this.#bytes > maxKnownBytes / 2',
    replace: '',
    test: {
      file: 'server/src/records/webhooks/receiver.test.ts',
      name: 'reads no further ahead than 2 MiB of data until the outcomes are stored',
    },
    why: 'Large events of one team could exhaust the memory of a worker.',
  },
  {
    name: 'purge-before-the-retention-ends',
    file: 'server/src/lifecycle/retention/retention.ts',
    find: 'clock.now().getTime() - days * dayMs',
    replace: 'clock.now().getTime() - (days / 2) * dayMs',
    test: {
      file: 'server/src/lifecycle/retention/retention.test.ts',
      name: "deletes data older than the team's retention",
    },
    why: 'Messages would be lost before their time.',
  },
];
