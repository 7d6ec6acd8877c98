import { createHash } from 'node:crypto';
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { ProviderDocument } from '../adapters/assistant-provider/assistant-provider.ts';
import { storeInThread, takeSections } from './document-thread.ts';
import { storeDocument } from './documents.ts';
import type { Db } from './knowledge.queries.ts';
import type { Stemming } from './stemming.ts';
import type { NewObject } from './tagged-objects.sql.ts';

/** Characters. Longer documents would block this thread for more than a few milliseconds. */
const maxInlineCharacters = 30_000;
/** Bytes hashed without yielding: a fraction of a millisecond. */
const hashChunkBytes = 256 * 1024;

/** Returns the ref, which is the same for the same operation and content. */
type StoreDocument = (object: NewObject, document: ProviderDocument, signal: AbortSignal) => Promise<string>;

/** Stores short documents at once and long ones in a thread, one after another. */
export function createDocumentStore(options: {
  db: Db;
  stemming: Stemming;
  databaseUrl: string;
}): StoreDocument {
  const { databaseUrl, ...here } = options;
  let longOnes: Promise<unknown> = Promise.resolve();
  return async (object, document, signal) => {
    const stored = { ...object, name: document.name, contentHash: await hashContent(document) };
    const sections = document.sections[Symbol.iterator]();
    const beginning = takeSections(sections, maxInlineCharacters);
    const next = sections.next();
    if (next.done === true) return storeDocument(here, stored, beginning, beginning, signal);
    const firstSections = [...beginning, next.value];
    const inThread = () => storeInThread({ databaseUrl, document: stored, firstSections }, sections, signal);
    const long = longOnes.then(inThread);
    longOnes = long.catch(() => undefined);
    return long;
  };
}

async function hashContent({ name, type, bytes }: ProviderDocument): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([name, type]));
  for (let start = 0; start < bytes.length; start += hashChunkBytes) {
    if (start > 0) await othersTurn();
    hash.update(bytes.subarray(start, start + hashChunkBytes));
  }
  return hash.digest('base64url');
}
