import { lockBotOfScope } from '../../knowledge/bots/bots.sql.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { badRequest, type InputIssue, notFound, requireValid } from '../../platform/http/errors.ts';
import { requireUnchanged } from '../../platform/http/expected-update.ts';
import { timestamp } from '../../platform/http/fields.ts';
import type { MessageData } from '../../platform/http/operation.ts';
import { takeStart } from '../../platform/shared/cut-text.ts';
import { isUuid, newId } from '../../platform/shared/ids.ts';
import { recordAudit } from '../../records/audit/audit.sql.ts';
import { findAskedMessage } from './case-of-message.ts';
import {
  type CaseRow,
  countCases,
  deleteCaseRow,
  insertCase,
  lockCase,
  selectCase,
  selectCases,
  selectTeamOfBot,
  updateCaseRow,
} from './cases.queries.ts';
import {
  type Case,
  type CreateCase,
  type ListCases,
  maxCases,
  neededMember,
  type UpdateCase,
} from './cases.schemas.ts';

export async function listCases(
  db: Database,
  { scope }: Actor,
  botId: string,
  query: ListCases,
): Promise<{ cases: Case[]; total: number }> {
  if ((await selectTeamOfBot(db, scope, botId)) === undefined) throw notFound('bot');
  const { rows, total } = await selectCases(db, botId, query);
  return { cases: rows.map(presentCase), total };
}

export async function getCase(
  db: Database,
  { scope }: Actor,
  { botId, caseId }: { botId: string; caseId: string },
): Promise<Case> {
  if ((await selectTeamOfBot(db, scope, botId)) === undefined) throw notFound('bot');
  const row = isUuid(caseId) ? await selectCase(db, botId, caseId) : undefined;
  if (row === undefined) throw notFound('case');
  return presentCase(row);
}

/** Throws `bot_not_found` and `message_not_found` (404), `validation` and `too_many_cases`. */
export async function createCase(
  tx: Transaction,
  actor: Actor,
  botId: string,
  input: CreateCase,
): Promise<Case> {
  const bot = await lockBotOfScope(tx, actor.scope, botId);
  if (bot === undefined) throw notFound('bot');
  const { message_id: messageId, enabled = true } = input;
  const found = messageId === undefined ? null : await findAskedMessage(tx, actor, bot, messageId);
  const messages = input.messages ?? found?.messages ?? [];
  const checks = input.checks ?? found?.checks ?? [];
  requireValid([
    ...((input.messages === undefined) === (messageId === undefined)
      ? [{ path: 'messages', message: 'must be present, or else message_id' }]
      : []),
    ...caseIssues({ messages, checks }),
  ]);
  if ((await countCases(tx, bot.id)) >= maxCases)
    throw badRequest('too_many_cases', `The bot has ${maxCases} cases; delete one first`, {
      limit: maxCases,
    });
  const name = input.name ?? (toName(messages.at(-1)?.text ?? '', longestName) || 'Case');
  const origin = found === null ? 'manual' : 'message';
  const row = await insertCase(tx, bot.team_id, {
    id: newId(),
    bot_id: bot.id,
    name,
    messages,
    checks,
    origin,
    enabled,
  });
  await audit(tx, bot.team_id, row);
  return presentCase(row);
}

/** Throws `bot_not_found` and `case_not_found` (404), `validation` and `changed_meanwhile`. */
export async function updateCase(
  tx: Transaction,
  actor: Actor,
  { botId, caseId }: { botId: string; caseId: string },
  input: UpdateCase,
): Promise<Case> {
  const { teamId, row } = await lockCaseOfBot(tx, actor, botId, caseId);
  requireUnchanged(input, presentCase(row));
  const { expected_updated_at: _, ...changes } = input;
  const changed = { ...row, ...changes };
  requireValid(caseIssues(changed));
  const updated = await updateCaseRow(tx, changed);
  await audit(tx, teamId, updated);
  return presentCase(updated);
}

export async function deleteCase(
  tx: Transaction,
  actor: Actor,
  { botId, caseId }: { botId: string; caseId: string },
): Promise<MessageData> {
  const { teamId, row } = await lockCaseOfBot(tx, actor, botId, caseId);
  await deleteCaseRow(tx, row.id);
  await audit(tx, teamId, row);
  return { message: 'The case was deleted' };
}

async function lockCaseOfBot(tx: Transaction, actor: Actor, botId: string, caseId: string) {
  const bot = await lockBotOfScope(tx, actor.scope, botId);
  if (bot === undefined) throw notFound('bot');
  const row = isUuid(caseId) ? await lockCase(tx, bot.id, caseId) : undefined;
  if (row === undefined) throw notFound('case');
  return { teamId: bot.team_id, row };
}

/** Without the messages, which may be those of a contact: no erasure reaches the audit log. */
const audit = (tx: Transaction, teamId: string, { id, bot_id, enabled, origin }: CaseRow): Promise<void> =>
  recordAudit(tx, { objectType: 'case', objectId: id, teamId, after: { bot_id, enabled, origin } });

const presentCase = ({ created_at, updated_at, ...row }: CaseRow): Case => ({
  ...row,
  created_at: timestamp(created_at),
  updated_at: timestamp(updated_at),
});

const longestName = 100;

/** Returns the beginning of a text in one line. */
export const toName = (text: string, maxLength: number): string =>
  takeStart(text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim(), maxLength);

function caseIssues({ messages, checks }: Pick<Case, 'messages' | 'checks'>): InputIssue[] {
  const last = messages.at(-1);
  const issues: InputIssue[] =
    last === undefined || last.role === 'contact'
      ? []
      : [{ path: 'messages', message: 'must end with a message of the contact' }];
  for (const [index, check] of checks.entries()) {
    const member = neededMember[check.kind];
    if (member !== undefined && check[member] === undefined)
      issues.push({ path: `checks[${index}].${member}`, message: `must be present for ${check.kind}` });
    for (const name of Object.keys(check))
      if (name !== 'kind' && name !== member && !(check.kind === 'calls_action' && name === 'arguments'))
        issues.push({ path: `checks[${index}].${name}`, message: `must be absent for ${check.kind}` });
  }
  return issues;
}
