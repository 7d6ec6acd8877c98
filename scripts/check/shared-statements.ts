/** A statement that may name tables of other rooms. The check fails when an entry matches nothing. */
export interface SharedStatement {
  /** Path below server/src or server/schema/functions. */
  file: string;
  /** The top-level declaration or the function that contains the SQL. */
  declaration: string;
  tables: readonly string[];
  reason: string;
}

const inbound =
  'a message, its conversation and the checks that decide about both take one round trip and one snapshot';
const context = 'read for every answer: one round trip and one snapshot of all that decides about it';

/** Keep this list short: only hot statements belong here. Build other statements from fragments of the owners. */
export const sharedStatements: readonly SharedStatement[] = [
  {
    file: 'chat/messages/accept.queries.ts',
    declaration: 'sendContext',
    tables: ['devices', 'teams', 'plans', 'pools', 'monthly_usage'],
    reason: 'POST /send checks the device, the team, the plan, the lease and the quota in one read',
  },
  {
    file: 'chat/messages/accept.queries.ts',
    declaration: 'lockFreeMonth',
    tables: ['monthly_usage'],
    reason: 'skips the months that other transactions hold, as a part of the charge',
  },
  {
    file: 'chat/messages/accept.queries.ts',
    declaration: 'insertStatement',
    tables: ['monthly_usage'],
    reason:
      'charges the month and inserts the message at once, which locks the row of the month for one statement only',
  },
  {
    file: 'chat/messages/outbox.queries.ts',
    declaration: 'dueClaim',
    tables: ['devices'],
    reason: 'claims messages and locks their devices against a takeover at once',
  },
  {
    file: 'devices/session-state.sql.ts',
    declaration: 'lockOwned',
    tables: ['teams'],
    reason: 'locks the team before the device for every inbound message, in one statement',
  },
  {
    file: 'devices/session-state.sql.ts',
    declaration: 'lockOwnedOrSkip',
    tables: ['teams'],
    reason: 'does the same for a batch of inbound messages',
  },
  {
    file: 'chat/conversations/inbound.queries.ts',
    declaration: 'insertContactMessages',
    tables: ['devices', 'teams', 'bots'],
    reason: inbound,
  },
  {
    file: 'chat/conversations/inbound.queries.ts',
    declaration: 'insertPersonMessage',
    tables: ['devices', 'teams'],
    reason: inbound,
  },
  {
    file: 'chat/answering/conversation-context.queries.ts',
    declaration: 'selectConversationContexts',
    tables: ['devices', 'teams', 'plans'],
    reason: context,
  },
  {
    file: 'chat/answering/conversation-context.queries.ts',
    declaration: 'mayBotAnswer',
    tables: ['devices', 'teams', 'bots'],
    reason: context,
  },
  {
    file: 'record_message_statuses.sql',
    declaration: 'record_message_statuses',
    tables: ['events'],
    reason: 'writes the events of thousands of receipts in one statement (bench row event-cost)',
  },
  {
    file: 'record_conversation_event.sql',
    declaration: 'record_credits_exhausted',
    tables: ['monthly_usage'],
    reason:
      'remembers for which credits the event was written, in the transaction that flags the conversation',
  },
  {
    file: 'schedule_media_deletion.sql',
    declaration: 'schedule_media_deletion',
    tables: ['tombstones'],
    reason: 'schedules the deletion of files by the statement that deletes their rows, cascades included',
  },
];
