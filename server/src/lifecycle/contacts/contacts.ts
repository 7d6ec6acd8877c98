import { deleteAnswersOfContact, selectAnswersOfContact } from '../../chat/answering/answers.sql.ts';
import { toRating } from '../../chat/answering/ratings.sql.ts';
import { eraseConsents, selectConsentsOfContact } from '../../chat/consents/consents.sql.ts';
import { deleteContactRows, selectContactRows } from '../../chat/contacts/contacts.sql.ts';
import {
  deleteConversationsOfContact,
  selectConversationsOfContact,
  selectFormsOfContact,
} from '../../chat/conversations/conversations.sql.ts';
import { selectNotesOfContact } from '../../chat/desk/notes.sql.ts';
import {
  deleteMessagesOfContact,
  type ExportedMedium,
  selectMessagesOfContact,
} from '../../chat/messages/messages.sql.ts';
import { presentDetails } from '../../chat/messages/messages.ts';
import { deleteSessionEntriesOf } from '../../devices/device-sessions.sql.ts';
import { selectDeviceIds } from '../../devices/devices.sql.ts';
import { deletePendingOfContact } from '../../devices/inbox.sql.ts';
import { deleteTestersOfContact, selectBotsOfTester } from '../../knowledge/bots/testers.sql.ts';
import type { ContactOf } from '../../platform/database/bulk-rows.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { allowLongStatements } from '../../platform/database/lock-timeout.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { invalidInput, unknownTeam } from '../../platform/http/errors.ts';
import { timestamp, timestampOrNull, toInternationalNumber } from '../../platform/http/fields.ts';
import {
  findResults,
  forgetFoundResults,
  type ResultCondition,
} from '../../platform/http/idempotency/stored-results.ts';
import type { Encryption, KeyedHash } from '../../platform/shared/encryption.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import { recordAudit } from '../../records/audit/audit.sql.ts';
import { deleteEventsOfContact, selectEventsOfContact } from '../../records/events/events.sql.ts';
import { teamExists } from '../../tenancy/teams/teams.sql.ts';
import type { ContactExport, ContactScope, ErasedContact } from './contacts.schemas.ts';

const maxExported = 10_000;
const maxMediaBytes = 1024 * 1024;
/** A response is in memory several times before it is sent. */
const maxTotalBytes = 32 * 1024 * 1024;

type ExportedContact = Omit<ContactExport, 'messages'> & {
  messages: (Omit<ContactExport['messages'][number], 'media'> & { media: ExportedMedium[] })[];
};

/** Adds the contents that are in the file store. Call it after the transaction of the export. */
export async function withFileContents(
  fileStore: Pick<FileStore, 'get'>,
  exported: ExportedContact,
): Promise<ContactExport> {
  const read = async ({ file_key: key, content, left_out: _, ...medium }: ExportedMedium) => {
    const bytes = key === null ? null : await fileStore.get(key);
    return { ...medium, content: bytes === null ? content : Buffer.from(bytes).toString('base64') };
  };
  const messages: ContactExport['messages'] = [];
  for (const message of exported.messages)
    messages.push({ ...message, media: await Promise.all(message.media.map(read)) });
  return { ...exported, messages };
}

/** Returns everything that is stored about a contact, newest first, without the contents of files. */
export async function exportContact(
  tx: Transaction,
  actor: Actor,
  number: string,
  { team_id: teamId }: ContactScope,
): Promise<ExportedContact> {
  const contact = await findContact(tx, actor, number, teamId);
  const [known, notes, consents, conversations, messages, answers] = [
    await selectContactRows(tx, contact),
    await selectNotesOfContact(tx, contact),
    await selectConsentsOfContact(tx, contact),
    await selectConversationsOfContact(tx, contact),
    await selectMessagesOfContact(tx, contact, { limit: maxExported + 1, maxMediaBytes, maxTotalBytes }),
    await selectAnswersOfContact(tx, contact, { limit: maxExported + 1, maxBytes: maxTotalBytes }),
  ];
  await recordAudit(tx, {
    objectType: 'contact',
    objectId: null,
    teamId: teamOf(contact),
    after: { exported: true },
  });
  return {
    contact_number: toInternationalNumber(number),
    complete:
      messages.length <= maxExported &&
      answers.length <= maxExported &&
      Number(messages.at(-1)?.text_bytes ?? 0) < maxTotalBytes &&
      Number(answers.at(-1)?.trace_bytes ?? 0) < maxTotalBytes &&
      !messages.some(({ media }) => media.some((medium) => medium.left_out)),
    known,
    notes: notes.map(({ created_at, ...note }) => ({ ...note, created_at: timestamp(created_at) })),
    tester_of: await selectBotsOfTester(tx, contact),
    consents: consents.map(({ decided_at, ...consent }) => ({
      ...consent,
      decided_at: timestamp(decided_at),
    })),
    conversations: conversations.map(({ last_message_at, created_at, ...conversation }) => ({
      ...conversation,
      last_message_at: timestamp(last_message_at),
      created_at: timestamp(created_at),
    })),
    messages: messages
      .slice(0, maxExported)
      .map(({ sent_at, created_at, text_bytes: _, details, ...message }) => ({
        ...message,
        ...presentDetails({ details }),
        sent_at: timestampOrNull(sent_at),
        created_at: timestamp(created_at),
      })),
    answers: answers
      .slice(0, maxExported)
      .map(({ created_at, trace_bytes: _, rating, contact_rating, ...answer }) => ({
        ...answer,
        rating: rating === null ? null : toRating(rating),
        contact_rating: contact_rating === null ? null : toRating(contact_rating),
        created_at: timestamp(created_at),
      })),
  };
}

/**
 * Deletes everything that is stored about a contact: conversations, messages, media, answers, events with their deliveries,
 * stored results of requests, and the keys of the network's encryption. The audit log has only a hash of the number, and an
 * opt-out stays as hashes, too.
 */
export async function eraseContact(
  {
    tx,
    encryption,
    keyedHash,
  }: { tx: Transaction; encryption: Pick<Encryption, 'open'>; keyedHash: KeyedHash },
  actor: Actor,
  number: string,
  { team_id: teamId }: ContactScope,
): Promise<ErasedContact> {
  const contact = await findContact(tx, actor, number, teamId);
  const deviceIds = await selectDeviceIds(tx, contact.scope);
  const isOfContact = resultCondition(contact, deviceIds);
  // The long reads come first, because later events of all teams wait from the first write until the commit.
  const foundResults = await findResults(tx, encryption, isOfContact);
  const foundEvents = await selectEventsOfContact(tx, contact);
  const conversations = await deleteConversationsOfContact(tx, contact);
  const messages = await deleteMessagesOfContact(tx, contact);
  const answers = await deleteAnswersOfContact(tx, contact);
  await deleteContactRows(tx, contact);
  await deleteTestersOfContact(tx, contact);
  await deletePendingOfContact(tx, contact);
  await eraseConsents(tx, contact, keyedHash);
  await deleteSessionEntriesOf(tx, deviceIds, contact.forms);
  await forgetFoundResults(tx, encryption, isOfContact, foundResults);
  const events = await deleteEventsOfContact(tx, contact, foundEvents);
  const erased = { messages, conversations, answers, events };
  await recordAudit(tx, { objectType: 'contact', objectId: null, teamId: teamOf(contact), after: erased });
  return erased;
}

/** A key of scope `global` has results of all teams. Those of other teams name neither the team nor its devices. */
function resultCondition({ scope, forms }: ContactOf, deviceIds: readonly string[]): ResultCondition {
  const contacts = new Set(forms);
  const owners = scope.kind === 'all' ? null : new Set([scope.teamId, ...deviceIds]);
  return (result) => {
    // Parsing each result would cost more.
    if (!forms.some((form) => result.includes(form))) return false;
    const body: unknown = JSON.parse(result.toString());
    return (
      hasMember(body, contactMembers, contacts) && (owners === null || hasMember(body, ownerMembers, owners))
    );
  };
}

const contactMembers: ReadonlySet<string> = new Set(['contact_number', 'destination_number']);
const ownerMembers: ReadonlySet<string> = new Set(['team_id', 'device_id']);

/** Returns whether a member with one of the names, at any depth, has one of the values. */
function hasMember(body: unknown, names: ReadonlySet<string>, values: ReadonlySet<unknown>): boolean {
  if (typeof body !== 'object' || body === null) return false;
  return Object.entries(body).some(
    ([name, value]) => (names.has(name) && values.has(value)) || hasMember(value, names, values),
  );
}

async function findContact(
  tx: Transaction,
  { scope }: Actor,
  number: string,
  teamId: string | undefined,
): Promise<ContactOf> {
  await allowLongStatements(tx);
  const isForeign = teamId !== undefined && scope.kind === 'team' && scope.teamId !== teamId;
  // Without a lock, because that would be the first write.
  if (isForeign || (teamId !== undefined && !(await teamExists(tx, teamId))))
    throw invalidInput([unknownTeam]);
  const within: Scope = teamId === undefined ? scope : { kind: 'team', teamId };
  return { scope: within, forms: await selectFormsOfContact(tx, within, toInternationalNumber(number)) };
}

const teamOf = ({ scope }: ContactOf): string | null => (scope.kind === 'team' ? scope.teamId : null);
