// biome-ignore-all lint/suspicious/noTemplateCurlyInString: source text that contains template literals
import type { Defect } from '../defect.ts';

const events = 'server/src/records/events/events.test.ts';

const webhooks = 'server/src/records/webhooks/webhooks.test.ts';

const audit = 'server/src/records/audit/audit.reliability.test.ts';

const contacts = 'server/src/lifecycle/contacts/contacts.test.ts';

/** Events, webhooks, audit and erasure. */
export const recordsDefects: readonly Defect[] = [
  {
    name: 'read-events-above-the-watermark',
    file: 'server/src/records/events/events.queries.ts',
    find: 'and e.xid < mark.watermark and',
    replace: 'and',
    test: { file: events, name: 'reaches an event that commits after later ones' },
    why: 'A cursor would skip an event whose transaction ended late.',
  },
  {
    name: 'stream-the-events-of-all-teams',
    file: 'server/src/records/events/event-stream.ts',
    find: "(scope.kind === 'all' || teamId === scope.teamId) &&",
    replace: "(scope.kind === 'all' || teamId !== undefined) &&",
    test: {
      file: 'server/src/records/events/event-stream.test.ts',
      name: 'shows only the events of its team to a key of scope team',
    },
    why: 'A team would see the messages of other teams.',
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
    name: 'change-without-an-audit-row',
    file: 'server/src/platform/database/pool-driver.ts',
    find: 'audited === null',
    replace: "audited !== 'always'",
    test: { file: audit, name: 'writes its rows with the change' },
    why: 'Changes over the API would leave no trace.',
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
];
