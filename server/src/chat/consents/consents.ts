import { CsvError, parse } from 'csv-parse/sync';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { ApiError, badRequest, invalidInput } from '../../platform/http/errors.ts';
import { timestampOrNull, toInternationalNumber } from '../../platform/http/fields.ts';
import type { KeyedHash } from '../../platform/shared/encryption.ts';
import { recordAudit } from '../../records/audit/audit.sql.ts';
import { recordEvent } from '../../records/events/events.sql.ts';
import { teamExists } from '../../tenancy/teams/teams.sql.ts';
import { lockTeamOfContact } from '../contacts/contacts.ts';
import { contactIssues } from '../conversations/contact-directory.ts';
import { selectFormsOfContact } from '../conversations/conversations.sql.ts';
import type { ConsentWord } from './consent-words.ts';
import {
  type ConsentRow,
  selectConsent,
  selectConsents,
  selectDecidingChat,
  upsertConsents,
} from './consents.queries.ts';
import {
  type Consent,
  type ConsentQuery,
  type ImportConsents,
  type ImportedConsents,
  maxImportedRows,
  type PutConsent,
} from './consents.schemas.ts';
import { hashContact } from './consents.sql.ts';

interface Dependencies {
  db: Database;
  keyedHash: KeyedHash;
}

interface Decision {
  teamId: string;
  /** The number under which the team knows the contact. */
  contact: string;
  /** All forms of the contact, with `contact`. */
  forms: readonly string[];
  state: ConsentRow['state'];
  source: ConsentRow['source'];
  proof: string | null;
  decidedAt?: Date | null;
}

/** Stores a decision and its event. Throws `contact_opted_out` if it would undo an opt-out of the contact. */
async function decide(tx: Transaction, keyedHash: KeyedHash, decision: Decision): Promise<void> {
  const { teamId, contact, forms, state, source, decidedAt = null } = decision;
  const hashes = forms.map((form) => hashContact(keyedHash, form));
  const before = await selectConsent(tx, teamId, [...forms, ...hashes]);
  const isErased = before?.contact.startsWith('hash:') === true;
  if (isErased && source !== 'contact' && before.source === 'contact' && state !== 'out')
    throw contactOptedOut();
  // What the erasure kept goes when the contact decides again.
  const written = isErased && state !== 'out' ? [...forms, ...hashes] : forms;
  const changed = await upsertConsents(tx, { ...decision, forms: written, decidedAt });
  if (changed.length < written.length && state !== 'out') throw contactOptedOut();
  const wasOut = before?.state === 'out';
  if (wasOut === (state === 'out') || state === 'unknown') return;
  const type = state === 'out' ? 'contact.opted_out' : 'contact.opted_in';
  await recordEvent(tx, type, teamId, { contact_number: contact, kind: 'active_messages', source }, contact);
}

const contactOptedOut = () =>
  badRequest('contact_opted_out', 'The contact opted out, and only the contact can undo that');

/** Applies a word that a contact wrote. A word to begin again decides nothing unless the contact had opted out. */
export async function applyConsentWord(
  tx: Transaction,
  keyedHash: KeyedHash,
  {
    deviceId,
    contact,
    word,
    messageId,
  }: { deviceId: string; contact: string; word: ConsentWord; messageId: string },
): Promise<void> {
  const chat = await selectDecidingChat(tx, deviceId, contact);
  if (chat === undefined) return;
  const { team_id: teamId, forms } = chat;
  if (word === 'in' && (await findConsent(tx, keyedHash, teamId, forms))?.state !== 'out') return;
  await decide(tx, keyedHash, { teamId, contact, forms, state: word, source: 'contact', proof: messageId });
}

const findConsent = (
  db: Database | Transaction,
  keyedHash: KeyedHash,
  teamId: string,
  forms: readonly string[],
) => selectConsent(db, teamId, [...forms, ...forms.map((form) => hashContact(keyedHash, form))]);

/** Returns one item for each team with a decision, and for the only team that is asked about. */
export async function readConsents(
  { db, keyedHash }: Dependencies,
  { scope }: Actor,
  number: string,
  { team_id: asked }: ConsentQuery,
): Promise<Consent[]> {
  const teamId = asked?.toLowerCase() ?? (scope.kind === 'team' ? scope.teamId : null);
  const isForeign = scope.kind === 'team' && scope.teamId !== teamId;
  if (isForeign || (teamId !== null && !(await teamExists(db, teamId)))) return [];
  const within: Scope = teamId === null ? scope : { kind: 'team', teamId };
  const forms = await selectFormsOfContact(db, within, toInternationalNumber(number));
  const rows = await selectConsents(db, within, [
    ...forms,
    ...forms.map((form) => hashContact(keyedHash, form)),
  ]);
  return rows.length === 0 && teamId !== null
    ? [present(teamId, undefined)]
    : rows.map((row) => present(row.team_id, row));
}

export async function writeConsent(
  { db, keyedHash }: Dependencies,
  actor: Actor,
  number: string,
  { team_id: asked, state, source = 'api', proof = null }: PutConsent,
): Promise<Consent[]> {
  return db.transaction().execute(async (tx) => {
    const teamId = await lockTeamOfContact(tx, actor, asked);
    const contact = toInternationalNumber(number);
    const forms = await selectFormsOfContact(tx, { kind: 'team', teamId }, contact);
    await decide(tx, keyedHash, { teamId, contact, forms, state, source, proof });
    await audit(tx, teamId, { active_messages: state, source });
    return [present(teamId, await findConsent(tx, keyedHash, teamId, forms))];
  });
}

/** The audit log keeps a hash of the number. */
const audit = (tx: Transaction, teamId: string, after: object): Promise<void> =>
  recordAudit(tx, { objectType: 'contact', objectId: null, teamId, after });

const present = (teamId: string, row: ConsentRow | undefined): Consent => ({
  team_id: teamId,
  kind: 'active_messages',
  state: row?.state ?? 'unknown',
  source: row?.source ?? null,
  decided_at: timestampOrNull(row?.decided_at ?? null),
  proof: row?.proof ?? null,
});

type Row = Partial<Record<'number' | 'state' | 'decided_at' | 'proof', string>>;

/** Rows of one transaction. */
const together = 200;

export async function importConsents(
  { db, keyedHash }: Dependencies,
  actor: Actor,
  { team_id: asked, csv }: ImportConsents,
): Promise<ImportedConsents> {
  const rows = readRows(csv);
  const refused: ImportedConsents['refused'] = [];
  // A file without rows takes one transaction, too, which checks the team.
  for (let from = 0; from < Math.max(rows.length, 1); from += together) {
    const refusedHere = await db.transaction().execute(async (tx) => {
      const teamId = await lockTeamOfContact(tx, actor, asked);
      const found: ImportedConsents['refused'] = [];
      for (const [index, row] of rows.slice(from, from + together).entries()) {
        const message = await importRow(tx, keyedHash, teamId, row);
        if (message !== null) found.push({ row: from + index + 2, message });
      }
      await audit(tx, teamId, { rows: rows.length, refused: found.length });
      return found;
    });
    refused.push(...refusedHere);
  }
  return { imported: rows.length - refused.length, refused };
}

function readRows(csv: string): Row[] {
  const refuse = (message: string) => invalidInput([{ path: 'csv', message }]);
  let rows: Row[];
  try {
    rows = parse<Row>(csv, {
      bom: true,
      columns: (header: string[]) => header.map((name) => name.trim().toLowerCase()),
      delimiter: [',', ';', '\t'],
      skip_empty_lines: true,
      relax_column_count: true,
      trim: true,
      to: maxImportedRows + 1,
    });
  } catch (error) {
    if (error instanceof CsvError) throw refuse(`is no CSV: ${error.message}`);
    throw error;
  }
  if (rows.length > maxImportedRows) throw refuse(`has more than ${maxImportedRows} rows`);
  if (rows[0] !== undefined && !('number' in rows[0] && 'state' in rows[0]))
    throw refuse('needs a header with number and state');
  return rows;
}

const states: readonly ConsentRow['state'][] = ['in', 'out', 'unknown'];

/** Returns why the row was refused, or null. */
async function importRow(
  tx: Transaction,
  keyedHash: KeyedHash,
  teamId: string,
  { number = '', state: given = '', decided_at: time = '', proof = '' }: Row,
): Promise<string | null> {
  const [issue] = contactIssues(number);
  if (issue !== undefined) return `number ${issue.message}`;
  const state = states.find((known) => known === given.toLowerCase());
  if (state === undefined) return 'state must be in, out or unknown';
  const decidedAt = time === '' ? null : new Date(time);
  if (decidedAt !== null && !(decidedAt.getTime() > 0 && decidedAt.getTime() <= Date.now()))
    return 'decided_at must be a time of the past, such as 2026-11-26T09:30:00Z';
  if (proof.length > 1000) return 'proof must have at most 1000 characters';
  const contact = toInternationalNumber(number);
  const forms = await selectFormsOfContact(tx, { kind: 'team', teamId }, contact);
  const decision = {
    teamId,
    contact,
    forms,
    state,
    source: 'import',
    proof: proof || null,
    decidedAt,
  } as const;
  try {
    await decide(tx, keyedHash, decision);
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}
