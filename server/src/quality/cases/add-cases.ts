import { lockBotOfScope } from '../../knowledge/bots/bots.sql.ts';
import { selectDraftContent } from '../../knowledge/bots/draft-content.sql.ts';
import { selectHeadings } from '../../knowledge/search/headings.sql.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { badRequest, notFound } from '../../platform/http/errors.ts';
import { takeStart } from '../../platform/shared/cut-text.ts';
import { newId } from '../../platform/shared/ids.ts';
import { recordAudit } from '../../records/audit/audit.sql.ts';
import { type CaseName, selectCaseNames, upsertCases } from './cases.queries.ts';
import { type Case, type ImportedCases, maxCases, type ProposedCases } from './cases.schemas.ts';
import { toName } from './cases.ts';
import { type ReadCase, readCases } from './read-cases.ts';

/**
 * Adds the cases of a CSV. A row with the name of a case from an earlier CSV replaces that case. Throws `bot_not_found` (404),
 * `validation` and `too_many_cases`.
 */
export async function importCases(
  tx: Transaction,
  actor: Actor,
  botId: string,
  { csv }: { csv: string },
): Promise<ImportedCases> {
  const bot = await lockBotOfScope(tx, actor.scope, botId);
  if (bot === undefined) throw notFound('bot');
  const { cases, refused } = readCases(csv);
  const known = await selectCaseNames(tx, bot.id);
  const ids = new Map(known.filter(({ origin }) => origin === 'csv').map(({ id, name }) => [name, id]));
  await store(
    tx,
    bot,
    known,
    cases.map((read) => ({ ...read, id: ids.get(read.name) ?? newId(), origin: 'csv', enabled: true })),
  );
  return { imported: cases.length, refused };
}

/**
 * Adds a case for each pair, action and heading of the draft that has none with its name. Those of actions and headings are off until
 * somebody has completed their question. Throws `bot_not_found` (404).
 */
export async function proposeCases(tx: Transaction, actor: Actor, botId: string): Promise<ProposedCases> {
  const bot = await lockBotOfScope(tx, actor.scope, botId);
  if (bot === undefined) throw notFound('bot');
  const known = await selectCaseNames(tx, bot.id);
  const names = new Set(known.map(({ name }) => name));
  const room = Math.max(0, maxCases - known.length);
  const { questions, actions, documentIds } = await selectDraftContent(tx, bot.id);
  const headings = await selectHeadings(tx, { teamId: bot.team_id, documentIds }, maxCases);
  const proposals = [
    ...questions.map((question) => propose(question, { kind: 'cites_pair', question }, true)),
    ...actions.map((name) => propose(name, { kind: 'calls_action', name }, false)),
    ...headings.map(({ heading, document_id }) =>
      propose(heading, { kind: 'cites_document', document_id }, false),
    ),
  ].filter(({ name }) => {
    const isNew = name !== '' && !names.has(name);
    names.add(name);
    return isNew;
  });
  await store(tx, bot, known, proposals.slice(0, room));
  return { proposed: Math.min(room, proposals.length) };
}

const longestName = 200;
const longestQuestion = 4096;

const propose = (text: string, check: Case['checks'][number], enabled: boolean): NewCase => ({
  id: newId(),
  name: toName(text, longestName),
  messages: [{ role: 'contact', text: takeStart(text, longestQuestion) }],
  checks: [check],
  origin: 'proposed',
  enabled,
});

type NewCase = ReadCase & Pick<Case, 'id' | 'origin' | 'enabled'>;

/** The caller holds the lock of the bot. */
async function store(
  tx: Transaction,
  bot: { id: string; team_id: string },
  known: readonly CaseName[],
  cases: readonly NewCase[],
): Promise<void> {
  const ids = new Set([...known, ...cases].map(({ id }) => id));
  if (ids.size > maxCases)
    throw badRequest('too_many_cases', `A bot has at most ${maxCases} cases; delete some first`, {
      limit: maxCases,
    });
  await upsertCases(tx, { teamId: bot.team_id, botId: bot.id }, cases);
  const after = { bot_id: bot.id, origin: cases[0]?.origin ?? null, cases: cases.length };
  await recordAudit(tx, { objectType: 'case', objectId: null, teamId: bot.team_id, after });
}
