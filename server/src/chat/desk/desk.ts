import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { badRequest, type InputIssue, invalidInput, notFound } from '../../platform/http/errors.ts';
import { requireUnchanged } from '../../platform/http/expected-update.ts';
import { timestamp, timestampOrNull } from '../../platform/http/fields.ts';
import { newId } from '../../platform/shared/ids.ts';
import { recordAudit } from '../../records/audit/audit.sql.ts';
import { worksForTeam } from '../../tenancy/members/members.sql.ts';
import { lockTeamShared, teamExists } from '../../tenancy/teams/teams.sql.ts';
import { distinct } from '../contacts/contacts.ts';
import {
  selectConversation,
  selectNextAssignee,
  updateAssignee,
  updateLabels,
} from '../conversations/conversations.queries.ts';
import type { Conversation } from '../conversations/conversations.schemas.ts';
import { lockForPerson, presentConversation } from '../conversations/conversations.ts';
import {
  insertNote,
  type NoteRow,
  selectNotes,
  selectSavedReplies,
  upsertSavedReplies,
} from './desk.queries.ts';
import type {
  AssignConversation,
  CreateNote,
  ListNotes,
  Note,
  PutSavedReplies,
  SavedReplies,
  StoredReplies,
} from './desk.schemas.ts';

/** Throws `conversation_not_found` (404), `nobody_present`, and `validation` for a user who does not work for the team. */
export async function assignConversation(
  tx: Transaction,
  actor: Actor,
  id: string,
  { user_id: userId, in_turn: inTurn }: AssignConversation,
): Promise<Conversation> {
  const { team_id: teamId } = await lockForPerson(tx, actor, id);
  if ((userId === undefined) === (inTurn === undefined))
    throw invalidInput([{ path: 'user_id', message: 'must be present, or else in_turn' }]);
  if (userId === undefined) {
    const next = await selectNextAssignee(tx, teamId);
    if (next === undefined)
      throw badRequest('nobody_present', 'No member of the team made a request in the last 10 minutes');
    return presentConversation(await updateAssignee(tx, id, next));
  }
  // A team does not see the staff, so it must not find out who belongs to it.
  const orStaff = actor.scope.kind === 'all';
  if (userId !== null && !(await worksForTeam(tx, teamId, userId, { orStaff })))
    throw invalidInput([
      {
        path: 'user_id',
        message: 'must be a member of the team above viewer, or for the partner one of its staff',
      },
    ]);
  return presentConversation(await updateAssignee(tx, id, userId));
}

export async function labelConversation(
  tx: Transaction,
  actor: Actor,
  id: string,
  labels: readonly string[],
): Promise<Conversation> {
  await lockForPerson(tx, actor, id);
  return presentConversation(await updateLabels(tx, id, distinct(labels)));
}

export async function addNote(
  tx: Transaction,
  actor: Actor,
  conversationId: string,
  { text }: CreateNote,
): Promise<Note> {
  const { team_id: teamId } = await lockForPerson(tx, actor, conversationId);
  const id = newId();
  const note = await insertNote(tx, { id, teamId, conversationId, authorId: actor.keyId, text });
  // What a note says about a contact stays out of the audit log, which no erasure reaches.
  const after = { conversation_id: conversationId };
  await recordAudit(tx, { objectType: 'note', objectId: id, teamId, after });
  return presentNote(note);
}

export async function listNotes(
  db: Database,
  { scope }: Actor,
  id: string,
  query: ListNotes,
): Promise<{ notes: Note[]; total: number }> {
  if ((await selectConversation(db, scope, id)) === undefined) throw notFound('conversation');
  const { rows, total } = await selectNotes(db, id, query);
  return { notes: rows.map(presentNote), total };
}

const presentNote = ({ author_id, author_name, created_at, ...row }: NoteRow): Note => ({
  ...row,
  author: { id: author_id, name: author_name },
  created_at: timestamp(created_at),
});

export async function getSavedReplies(db: Database, actor: Actor, teamId: string): Promise<StoredReplies> {
  if ((actor.scope.kind === 'team' && actor.scope.teamId !== teamId) || !(await teamExists(db, teamId)))
    throw notFound('team');
  return presentReplies(await selectSavedReplies(db, teamId));
}

const presentReplies = (row: Awaited<ReturnType<typeof selectSavedReplies>>): StoredReplies => ({
  replies: row?.replies ?? [],
  updated_at: timestampOrNull(row?.updated_at ?? null),
});

export async function putSavedReplies(
  tx: Transaction,
  actor: Actor,
  teamId: string,
  input: PutSavedReplies,
): Promise<StoredReplies> {
  const { replies } = input;
  if (!(await lockTeamShared(tx, actor.scope, teamId))) throw notFound('team');
  const issues = replyIssues(replies);
  if (issues.length > 0) throw invalidInput(issues);
  const check = async () => requireUnchanged(input, presentReplies(await selectSavedReplies(tx, teamId)));
  await check();
  const row = await upsertSavedReplies(tx, teamId, input);
  if (row === undefined) {
    await check();
    throw new Error('the saved replies were not stored');
  }
  await recordAudit(tx, {
    objectType: 'saved_replies',
    objectId: teamId,
    teamId,
    after: { names: replies.map(({ name }) => name) },
  });
  return presentReplies(row);
}

function replyIssues(replies: SavedReplies['replies']): InputIssue[] {
  const names = replies.map(({ name }) => name.toLowerCase());
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [{ path: `replies[${index}].name`, message: 'must differ from the other names' }],
  );
}
