/** A statement that may name tables of other folders. The check fails when an entry matches nothing. */
export interface SharedStatement {
  /** Path below server/src. */
  file: string;
  /** The top-level declaration that contains the SQL. */
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
    file: 'messages/accept.queries.ts',
    declaration: 'sendContext',
    tables: ['devices', 'teams', 'plans', 'pools', 'monthly_usage'],
    reason: 'POST /send checks the device, the team, the plan, the lease and the quota in one read',
  },
  {
    file: 'messages/accept.queries.ts',
    declaration: 'lockFreeMonth',
    tables: ['monthly_usage'],
    reason: 'skips the months that other transactions hold, as a part of the charge',
  },
  {
    file: 'messages/accept.queries.ts',
    declaration: 'insertStatement',
    tables: ['monthly_usage'],
    reason:
      'charges the month and inserts the message at once, which locks the row of the month for one statement only',
  },
  {
    file: 'messages/outbox.queries.ts',
    declaration: 'dueClaim',
    tables: ['devices'],
    reason: 'claims messages and locks their devices against a takeover at once',
  },
  {
    file: 'devices/hosting.sql.ts',
    declaration: 'adoptDevices',
    tables: ['pools'],
    reason: 'takes over hundreds of devices at once, each with the end of its own lease',
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
    file: 'conversations/inbound.queries.ts',
    declaration: 'insertedMessages',
    tables: ['messages'],
    reason: inbound,
  },
  {
    file: 'conversations/inbound.queries.ts',
    declaration: 'insertContactMessages',
    tables: ['messages', 'devices', 'teams', 'bots'],
    reason: inbound,
  },
  {
    file: 'conversations/inbound.queries.ts',
    declaration: 'insertPersonMessage',
    tables: ['devices', 'teams', 'messages'],
    reason: inbound,
  },
  {
    file: 'answering/completion.queries.ts',
    declaration: 'completed',
    tables: ['messages'],
    reason:
      'stores a batch of answers and charges last, which locks the row of the credits for one statement only',
  },
  {
    file: 'answering/conversation-context.queries.ts',
    declaration: 'selectConversationContexts',
    tables: ['conversations', 'devices', 'teams', 'plans'],
    reason: context,
  },
  {
    file: 'answering/conversation-context.queries.ts',
    declaration: 'mayBotAnswer',
    tables: ['conversations', 'devices', 'teams', 'bots'],
    reason: context,
  },
];
