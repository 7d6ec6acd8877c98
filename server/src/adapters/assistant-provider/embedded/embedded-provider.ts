import { createHash } from 'node:crypto';
import { type Clock, systemClock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import {
  type AssistantProvider,
  type AssistantSpec,
  type OwnedObject,
  type OwnerTag,
  ProviderError,
} from '../assistant-provider.ts';
import { runAbortable } from './abortable-call.ts';
import { answerTurn } from './answer-turn.ts';
import { createDocumentStore } from './document-store.ts';
import {
  type Db,
  deleteObject,
  findAssistants,
  findDocumentState,
  insertRevision,
  insertTagged,
  listObjects,
} from './embedded.queries.ts';
import { createLexicons } from './lexicon.ts';
import { createRevisionCache } from './revision-cache.ts';
import { createStemming } from './stemming.ts';
import { createTimeSlicer } from './time-slices.ts';

const LIST_BATCH = 500;

/** Creates the provider that answers by retrieval from PostgreSQL. It needs no key and generates no text. */
export function createEmbeddedProvider(options: {
  db: Db;
  /** URL of the same database, for the threads that store long documents. */
  databaseUrl: string;
  installationId: string;
  clock?: Clock;
}): AssistantProvider {
  const { db, installationId, clock = systemClock } = options;
  const stemming = createStemming(db);
  const documents = createDocumentStore({ db, stemming, databaseUrl: options.databaseUrl });
  const lexicons = createLexicons(stemming);
  const turns = createTimeSlicer();
  // Loading is not bound to a signal, because its result serves all waiting requests.
  const revisions = createRevisionCache({ db, stemming, lexicons, installationId, yieldControl: turns() });
  const newObject = (prefix: string, tag: OwnerTag) => ({
    ref: `${prefix}_${newId().replaceAll('-', '')}`,
    installationId,
    tag,
    createdAt: clock.now(),
  });
  return {
    name: 'embedded',
    generates: false,
    putKnowledge: (tag, signal) =>
      runAbortable(signal, async () => ({
        ref: await insertTagged(db, 'knowledge_stores', newObject('vs', tag)),
      })),
    deleteKnowledge: (ref, signal) =>
      runAbortable(signal, () => deleteObject(db, 'knowledge_stores', installationId, ref)),
    putDocument: (tag, document, signal) =>
      runAbortable(signal, async () => ({
        ref: await documents.store(newObject('file', tag), document, signal),
      })),
    documentStatus: (ref, signal) =>
      runAbortable(signal, async () => {
        const state = await findDocumentState(db, installationId, ref);
        if (state === null) throw new ProviderError('not_found', `There is no document ${ref}`);
        return state;
      }),
    deleteDocument: (ref, signal) =>
      runAbortable(signal, () => deleteObject(db, 'documents', installationId, ref)),
    putAssistant: (tag, ref, spec, signal) =>
      runAbortable(signal, async () => {
        const assistantRef = ref ?? (await insertTagged(db, 'assistants', newObject('asst', tag)));
        if (ref !== null && !(await findAssistants(db, installationId, [ref])).has(ref)) {
          throw new ProviderError('not_found', `There is no assistant ${ref}`);
        }
        const revision = await insertRevision(db, {
          assistantRef,
          revision: newId(),
          operation: tag.operation,
          contentHash: hashSpec(spec),
          spec,
          createdAt: clock.now(),
        });
        return { ref: assistantRef, revision };
      }),
    deleteAssistant: (ref, signal) =>
      runAbortable(signal, () => deleteObject(db, 'assistants', installationId, ref)),
    step: (turn, signal) =>
      runAbortable(signal, async () => {
        const revision = await revisions.get(turn.assistantRef, turn.revision);
        return answerTurn(
          { db, stemming, lexicons, installationId, yieldControl: turns(signal) },
          revision,
          turn,
        );
      }),
    listOwned: (signal) => listOwned(db, installationId, signal),
  };
}

async function* listOwned(db: Db, installationId: string, signal: AbortSignal): AsyncGenerator<OwnedObject> {
  let after = { kind: '', ref: '' };
  for (;;) {
    const objects = await runAbortable(signal, () => listObjects(db, installationId, after, LIST_BATCH));
    yield* objects;
    const last = objects.at(-1);
    if (last === undefined || objects.length < LIST_BATCH) return;
    after = last;
  }
}

function hashSpec(spec: AssistantSpec): string {
  return createHash('sha256').update(JSON.stringify(spec)).digest('base64url');
}
