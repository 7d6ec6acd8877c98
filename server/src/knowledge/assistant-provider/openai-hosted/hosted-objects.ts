import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { QueryExecutorProvider } from 'kysely';
import { type OpenAI, toFile } from 'openai';
import type { VectorStoreFile } from 'openai/resources/vector-stores/files';
import { ProviderError } from '../../../ports/provider-error.ts';
import type { OwnedObject, OwnerTag, ProviderDocument } from '../assistant-provider.ts';
import {
  confirmObject,
  deleteObjectRows,
  deleteStaleIntents,
  findCheckStore,
  findStoresOf,
  insertAttachment,
  insertIntent,
  storeCheckStore,
} from './hosted-objects.queries.ts';
import { orMissing, repeatUntilDone } from './openai-calls.ts';
import {
  createFileName,
  createMetadata,
  type HostedTag,
  isSentAsText,
  readFileName,
  readMetadata,
} from './owner-tags.ts';

interface Context {
  db: QueryExecutorProvider;
  client: OpenAI;
  installationId: string;
}

/** The clocks of OpenAI and the database may differ by this. */
const clockSkewMs = 10 * 60 * 1000;
const pollMs = 500;
/** OpenAI deletes a check store after a day. */
const checkStoreDays = 1;
const purpose = 'assistants';
/** Searches filter by it. */
export const documentAttribute = 'document';

/** The files and vector stores of this installation at OpenAI. */
export function createHostedObjects(context: Context) {
  const { db, client, installationId } = context;
  return {
    putKnowledge: (tag: OwnerTag, signal: AbortSignal) =>
      converge(context, 'knowledge', { ...tag, installationId, contentHash: '-' }, signal, (hosted) => ({
        find: (since) => findStore(client, hosted, since, signal),
        create: async () =>
          (await client.vectorStores.create({ name: 'Parley', metadata: createMetadata(hosted) }, { signal }))
            .id,
        remove: (ref) => deleteStore(client, ref, signal),
      })),

    async putDocument(tag: OwnerTag, document: ProviderDocument, signal: AbortSignal): Promise<string> {
      const contentHash = hashDocument(document);
      const ref = await converge(
        context,
        'document',
        { ...tag, installationId, contentHash },
        signal,
        (hosted) => ({
          find: (since) => findFile(client, hosted, since, signal),
          create: async () => {
            const file = await toFile(readContent(document), createFileName(document.name, hosted));
            return (await client.files.create({ file, purpose }, { signal })).id;
          },
          remove: (created) => deleteFile(client, created, signal),
        }),
      );
      await repeatUntilDone(signal, () => checkIndexing(context, ref, signal));
      return ref;
    },

    documentStatus: (ref: string, signal: AbortSignal) =>
      repeatUntilDone(signal, async () => {
        const store = await findCheckStore(db, ref);
        if (store === null) throw new ProviderError('not_found', `There is no document ${ref}`);
        return toStatus(
          await client.vectorStores.files.retrieve(ref, { vector_store_id: store }, { signal }),
        );
      }),

    /** Attaches the documents to the store, and resolves once OpenAI has indexed them there. */
    async attach(storeRef: string, documentRefs: readonly string[], signal: AbortSignal): Promise<void> {
      let attached = documentRefs.length === 0 ? new Map() : await listAttached(client, storeRef, signal);
      for (const ref of documentRefs) {
        if (attached.get(ref) === 'ready' || attached.get(ref) === 'processing') continue;
        await insertAttachment(db, ref, storeRef);
        // OpenAI indexes a failed file again only if it is attached anew.
        if (attached.get(ref) === 'failed')
          await orMissing(client.vectorStores.files.delete(ref, { vector_store_id: storeRef }, { signal }));
        await repeatUntilDone(signal, () =>
          client.vectorStores.files.create(
            storeRef,
            { file_id: ref, attributes: { [documentAttribute]: ref } },
            { signal },
          ),
        );
        attached.set(ref, 'processing');
      }
      while (documentRefs.some((ref) => attached.get(ref) !== 'ready')) {
        const failed = documentRefs.filter((ref) => attached.get(ref) === 'failed');
        if (failed.length > 0)
          throw new ProviderError('transient', `OpenAI could not index ${failed.join(', ')}`);
        await waitFor(pollMs, signal);
        attached = await listAttached(client, storeRef, signal);
      }
    },

    /** Detaches the file first, because searches find an attached file after its deletion. */
    deleteDocument: (ref: string, signal: AbortSignal) =>
      repeatUntilDone(signal, async () => {
        for (const store of await findStoresOf(db, ref)) {
          await orMissing(client.vectorStores.files.delete(ref, { vector_store_id: store }, { signal }));
        }
        const checkStore = await findCheckStore(db, ref);
        if (checkStore !== null) await orMissing(client.vectorStores.delete(checkStore, { signal }));
        await deleteFile(client, ref, signal);
        await deleteObjectRows(db, ref);
      }),

    deleteKnowledge: (ref: string, signal: AbortSignal) =>
      repeatUntilDone(signal, async () => {
        await deleteStore(client, ref, signal);
        await deleteObjectRows(db, ref);
      }),

    async *listOwned(signal: AbortSignal): AsyncGenerator<OwnedObject> {
      await deleteStaleIntents(db);
      for await (const { id, filename, created_at } of client.files.list(
        { purpose, limit: 10_000 },
        { signal },
      )) {
        const owned = toOwned('document', { id, created_at }, readFileName(filename), installationId);
        if (owned !== null) yield owned;
      }
      for await (const { id, metadata, created_at } of client.vectorStores.list({ limit: 100 }, { signal })) {
        const owned = toOwned('knowledge', { id, created_at }, readMetadata(metadata), installationId);
        if (owned !== null) yield owned;
      }
    },
  };
}

interface Creation {
  /** Returns an object with the tag that is not older than `since`. */
  find(since: Date): Promise<string | null>;
  create(): Promise<string>;
  remove(ref: string): Promise<void>;
}

/**
 * Creates an object once. After an attempt with an unknown outcome, it looks for the tag before it creates again. If two
 * attempts run at once, the first confirmed object stays and the other attempt deletes its own.
 */
async function converge(
  { db, installationId }: Context,
  kind: 'document' | 'knowledge',
  tag: HostedTag,
  signal: AbortSignal,
  describe: (tag: HostedTag) => Creation,
): Promise<string> {
  const intent = { installationId, kind, operation: tag.operation, contentHash: tag.contentHash };
  const { find, create, remove } = describe(tag);
  signal.throwIfAborted();
  const stored = await insertIntent(db, intent);
  if (stored.ref !== null) return stored.ref;
  let wasTried = stored.wasTried;
  const since = new Date(stored.createdAt.getTime() - clockSkewMs);
  const created = await repeatUntilDone(signal, async () => {
    const found = wasTried ? await find(since) : null;
    wasTried = true;
    return found ?? create();
  });
  const confirmed = await confirmObject(db, intent, created);
  // If this fails, the orphan sweep deletes the object.
  if (confirmed !== created) await remove(created).catch(() => undefined);
  return confirmed;
}

async function findFile(
  client: OpenAI,
  tag: HostedTag,
  since: Date,
  signal: AbortSignal,
): Promise<string | null> {
  const files = client.files.list({ purpose, order: 'desc', limit: 1000 }, { signal });
  for await (const { id, filename, created_at } of files) {
    if (created_at * 1000 < since.getTime()) return null;
    if (isSameTag(readFileName(filename), tag)) return id;
  }
  return null;
}

async function findStore(
  client: OpenAI,
  tag: HostedTag,
  since: Date,
  signal: AbortSignal,
): Promise<string | null> {
  for await (const store of client.vectorStores.list({ order: 'desc', limit: 100 }, { signal })) {
    if (store.created_at * 1000 < since.getTime()) return null;
    if (isSameTag(readMetadata(store.metadata), tag)) return store.id;
  }
  return null;
}

const isSameTag = (found: HostedTag | null, { installationId, operation, contentHash }: HostedTag): boolean =>
  found?.installationId === installationId &&
  found.operation === operation &&
  found.contentHash === contentHash;

/** OpenAI indexes files only in a vector store. The check store shows whether it can read the document, before a bot uses it. */
async function checkIndexing({ db, client }: Context, ref: string, signal: AbortSignal): Promise<void> {
  if ((await findCheckStore(db, ref)) !== null) return;
  const { id } = await client.vectorStores.create(
    {
      name: 'Parley check',
      file_ids: [ref],
      expires_after: { anchor: 'last_active_at', days: checkStoreDays },
    },
    { signal },
  );
  if ((await storeCheckStore(db, ref, id)) !== id)
    await orMissing(client.vectorStores.delete(id, { signal }));
}

async function deleteFile(client: OpenAI, ref: string, signal: AbortSignal): Promise<void> {
  await orMissing(client.files.delete(ref, { signal }));
  if ((await orMissing(client.files.retrieve(ref, { signal }))) !== null)
    throw new ProviderError('transient', `OpenAI did not confirm the deletion of ${ref}`);
}

async function deleteStore(client: OpenAI, ref: string, signal: AbortSignal): Promise<void> {
  await orMissing(client.vectorStores.delete(ref, { signal }));
  if ((await orMissing(client.vectorStores.retrieve(ref, { signal }))) !== null)
    throw new ProviderError('transient', `OpenAI did not confirm the deletion of ${ref}`);
}

type DocumentStatus = 'processing' | 'ready' | 'failed';

const listAttached = (
  client: OpenAI,
  storeRef: string,
  signal: AbortSignal,
): Promise<Map<string, DocumentStatus>> =>
  repeatUntilDone(signal, async () => {
    const attached = new Map<string, DocumentStatus>();
    for await (const file of client.vectorStores.files.list(storeRef, { limit: 100 }, { signal })) {
      attached.set(file.id, toStatus(file));
    }
    return attached;
  });

function toStatus({ status }: Pick<VectorStoreFile, 'status'>): DocumentStatus {
  if (status === 'completed') return 'ready';
  return status === 'in_progress' ? 'processing' : 'failed';
}

function toOwned(
  kind: 'document' | 'knowledge',
  { id, created_at }: { id: string; created_at: number },
  tag: HostedTag | null,
  installation: string,
): OwnedObject | null {
  if (tag?.installationId !== installation) return null;
  const { teamId, objectId, operation } = tag;
  return { kind, ref: id, tag: { teamId, objectId, operation }, createdAt: new Date(created_at * 1000) };
}

/** OpenAI does not index tables as files. */
function readContent({ name, bytes, sections }: ProviderDocument): Uint8Array {
  if (!isSentAsText(name)) return bytes;
  const texts = [...sections].map(({ heading, text }) => (heading === null ? text : `${heading}\n\n${text}`));
  return Buffer.from(texts.join('\n\n'));
}

const hashDocument = ({ name, type, bytes }: ProviderDocument): string =>
  createHash('sha256')
    .update(JSON.stringify([name, type]))
    .update(bytes)
    .digest('base64url')
    .slice(0, 22);

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch((cause) => {
    throw new ProviderError('transient', 'OpenAI has not indexed the documents yet', { cause });
  });
}
