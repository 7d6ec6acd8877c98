import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { type InputIssue, invalidInput, unknownTeam } from '../../platform/http/errors.ts';
import { requireUnchanged } from '../../platform/http/expected-update.ts';
import { timestamp, toInternationalNumber } from '../../platform/http/fields.ts';
import type { ValidInput } from '../../platform/http/validation/valid-input.ts';
import { recordAudit } from '../../records/audit/audit.sql.ts';
import { lockTeamShared, teamExists } from '../../tenancy/teams/teams.sql.ts';
import { selectFormsOfContact } from '../conversations/conversations.sql.ts';
import { ignoreMessagesOfContact } from '../conversations/unanswered-messages.ts';
import { type ContactRow, selectContact, upsertContact } from './contacts.queries.ts';
import {
  type Contact,
  type FoundContact,
  maxFieldName,
  maxFields,
  type UpdateContact,
} from './contacts.schemas.ts';

/**
 * Locks the team of a contact against deletion, which deletes what the transaction writes. Returns its id. Throws `validation` if
 * the caller may see several teams and names none, or may not see it.
 */
export async function lockTeamOfContact(
  tx: Transaction,
  actor: Actor,
  asked: string | undefined,
): Promise<string> {
  const teamId = teamOfContact(actor, asked);
  if (!(await lockTeamShared(tx, actor.scope, teamId))) throw invalidInput([unknownTeam]);
  return teamId;
}

function teamOfContact({ scope }: Actor, asked: string | undefined): string {
  const teamId = asked?.toLowerCase() ?? (scope.kind === 'team' ? scope.teamId : undefined);
  if (teamId === undefined)
    throw invalidInput([{ path: 'team_id', message: 'is needed with a key of scope global' }]);
  if (scope.kind === 'team' && scope.teamId !== teamId) throw invalidInput([unknownTeam]);
  return teamId;
}

export function fieldIssues({ fields = {} }: ValidInput<UpdateContact>): InputIssue[] {
  const names = Object.keys(fields);
  const isName = (name: string) => name.trim() !== '' && name.length <= maxFieldName && !name.includes('\0');
  return [
    ...(names.length > maxFields
      ? [{ path: 'fields', message: `must have at most ${maxFields} members` }]
      : []),
    ...(names.every(isName)
      ? []
      : [{ path: 'fields', message: `must have names of 1 to ${maxFieldName} characters` }]),
  ];
}

/** An unknown contact is empty, so that nothing tells who is known. */
export async function getContact(
  db: Database,
  actor: Actor,
  number: string,
  asked: string | undefined,
): Promise<FoundContact> {
  const contact = toInternationalNumber(number);
  const isOfOneTeam = asked !== undefined || actor.scope.kind === 'team';
  const teamId = isOfOneTeam ? teamOfContact(actor, asked) : null;
  if (teamId !== null && !(await teamExists(db, teamId))) throw invalidInput([unknownTeam]);
  const scope: Scope = teamId === null ? { kind: 'all' } : { kind: 'team', teamId };
  const row = await selectContact(db, scope, await selectFormsOfContact(db, scope, contact));
  return row === undefined ? unknown(teamId, contact) : presentContact(row);
}

/** A contact whom nobody knows yet is created. Blocking ends the messages that wait for an answer. */
export async function updateContact(
  tx: Transaction,
  actor: Actor,
  number: string,
  { team_id: asked, ...input }: UpdateContact,
): Promise<Contact> {
  const teamId = await lockTeamOfContact(tx, actor, asked);
  const scope: Scope = { kind: 'team', teamId };
  const forms = await selectFormsOfContact(tx, scope, toInternationalNumber(number));
  const known = await selectContact(tx, scope, forms);
  const contact = known?.contact_number ?? toInternationalNumber(number);
  const { expected_updated_at: _, ...changes } = input;
  const { labels } = changes;
  const written = { ...input, ...(labels === undefined ? {} : { labels: distinct(labels) }) };
  const check = (found: ContactRow | undefined) =>
    requireUnchanged(written, found === undefined ? unknown(teamId, contact) : presentContact(found));
  check(known);
  const row = await upsertContact(tx, teamId, contact, written);
  if (row === undefined) {
    check(await selectContact(tx, scope, forms));
    throw new Error('the contact was not stored');
  }
  if (changes.blocked === true && known?.blocked !== true) await ignoreMessagesOfContact(tx, teamId, forms);
  // The audit log keeps a hash of the number, and which fields changed but not what they say.
  await recordAudit(tx, {
    objectType: 'contact',
    objectId: null,
    teamId,
    after: { changed: Object.keys(changes).toSorted() },
  });
  return presentContact(row);
}

/** In the given order, each once. */
export const distinct = (labels: readonly string[]): string[] => [
  ...new Set(labels.map((label) => label.trim())),
];

export const presentContact = ({ id: _, created_at, updated_at, ...row }: ContactRow): Contact => ({
  ...row,
  created_at: timestamp(created_at),
  updated_at: timestamp(updated_at),
});

const unknown = (teamId: string | null, contact: string): FoundContact => ({
  team_id: teamId,
  contact_number: contact,
  name: null,
  network_name: null,
  fields: {},
  labels: [],
  note: '',
  blocked: false,
  created_at: null,
  updated_at: null,
});
