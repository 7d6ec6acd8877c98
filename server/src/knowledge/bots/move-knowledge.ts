import { nullIfLocked } from '../../platform/database/lock-timeout.ts';
import { withDeadline } from '../../platform/shared/deadline.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import type { AssistantProvider } from '../assistant-provider/assistant-provider.ts';
import { type CopiedDocument, type CopyDependencies, copyDocuments } from '../documents/copy-documents.ts';
import { switchDocuments } from '../documents/moves.sql.ts';
import { createAssistantSpec } from './assistant-spec.ts';
import {
  completeMove,
  type KnowledgeMove,
  lockMove,
  type MovedBot,
  type MovingBot,
  selectMovingBots,
  switchBots,
} from './knowledge-moves.queries.ts';
import { openVersionActions } from './version-content.ts';
import { selectVersion } from './versions.queries.ts';

export interface MoveDependencies extends CopyDependencies {
  encryption: Encryption;
  /** The provider at the place to which the team moves. */
  target: AssistantProvider;
}

/** OpenAI has to index all documents of the bot. */
const botTimeoutMs = 30 * 60_000;
const maxAttempts = 20;

/**
 * Copies documents and live versions, then replaces all refs of the team in one transaction. Until then, its bots answer by
 * their old provider. If the team changes meanwhile, copies the new documents and tries again.
 */
export async function moveTeam(
  deps: MoveDependencies,
  move: KnowledgeMove,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const documents = await copyDocuments(deps, deps.target, move, signal);
    const bots: MovedBot[] = [];
    for (const bot of await selectMovingBots(deps.db, move.teamId))
      bots.push(await copyBot(deps, move, bot, documents, signal));
    if (await switchTeam(deps, move, { documents, bots })) return;
  }
  throw new Error('The documents or bots of the team keep changing');
}

async function copyBot(
  { db, encryption, target }: MoveDependencies,
  { id: moveId, teamId }: KnowledgeMove,
  { id, assistantRef, version, documentIds }: MovingBot,
  copies: readonly CopiedDocument[],
  signal: AbortSignal,
): Promise<MovedBot> {
  const tag = { teamId, objectId: id, operation: `move ${moveId} ${id}` };
  const put = <Result>(work: (deadline: AbortSignal) => Promise<Result>) =>
    withDeadline(botTimeoutMs, work, signal);
  const { ref: vectorId } = await put((deadline) => target.putKnowledge(tag, deadline));
  const content = version === null ? undefined : await selectVersion(db, id, version);
  if (version === null || content === undefined)
    return { id, vectorId, version, revision: null, documentRefs: [] };
  const documents = documentIds.flatMap((documentId) => copies.find((copy) => copy.id === documentId) ?? []);
  const spec = createAssistantSpec(
    {
      bot: { ...content.spec, vector_id: vectorId },
      policy: content.spec,
      questions: content.spec.questions,
      documents,
    },
    openVersionActions(encryption, { teamId, botId: id, version }, content.actions_sealed),
  );
  const { revision } = await put((deadline) =>
    target.putAssistant({ ...tag, operation: `${tag.operation} ${version}` }, assistantRef, spec, deadline),
  );
  return { id, vectorId, version, revision, documentRefs: spec.knowledge.documentRefs };
}

class TeamChanged extends Error {}

/** Returns false if nothing was changed, because the team is busy or has something that was not copied. */
async function switchTeam(
  { db }: Pick<MoveDependencies, 'db'>,
  move: KnowledgeMove,
  { documents, bots }: { documents: readonly CopiedDocument[]; bots: readonly MovedBot[] },
): Promise<boolean> {
  const switched = db.transaction().execute(async (tx) => {
    if (!(await lockMove(tx, move))) return true;
    const isWhole =
      (await switchBots(tx, move.teamId, bots)) && (await switchDocuments(tx, move.teamId, documents));
    if (!isWhole) throw new TeamChanged();
    await completeMove(tx, move);
    return true;
  });
  const result = await nullIfLocked(() => switched).catch((error: unknown) => {
    if (error instanceof TeamChanged) return null;
    throw error;
  });
  return result !== null;
}
