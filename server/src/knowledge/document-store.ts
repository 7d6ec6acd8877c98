import { createHash, subtle } from 'node:crypto';
import type { DocumentSection, ProviderDocument } from '../adapters/assistant-provider/assistant-provider.ts';
import { storeInThread, takeSections } from './document-thread.ts';
import { storeDocument } from './documents.ts';
import type { Db } from './knowledge.queries.ts';
import type { Stemming } from './stemming.ts';
import type { NewObject } from './tagged-objects.sql.ts';
import { splitForms } from './words.ts';

/** Characters. Longer documents would block this thread for more than a few milliseconds. */
const maxInlineCharacters = 30_000;

/**
 * Stores short documents at once and long ones in a thread, one after another. Returns the ref, which is the same for the same
 * operation and content.
 */
export function createDocumentStore(context: { db: Db; stemming: Stemming; databaseUrl: string }) {
  let longOnes: Promise<unknown> = Promise.resolve();
  return async (object: NewObject, document: ProviderDocument, signal: AbortSignal): Promise<string> => {
    const others = document.sections[Symbol.iterator]();
    const beginning = takeSections(others, maxInlineCharacters);
    const contentHash = await hashContent(document);
    const language = await detectLanguage(context.stemming, beginning);
    const stored = { ...object, name: document.name, contentHash, language };
    const next = others.next();
    if (next.done === true) return storeDocument(context, stored, beginning, signal);
    const sections = (function* () {
      yield* beginning;
      yield next.value;
      yield* { [Symbol.iterator]: () => others };
    })();
    const task = { databaseUrl: context.databaseUrl, document: stored };
    const long = longOnes.then(() => storeInThread(task, sections, signal));
    longOnes = long.catch(() => undefined);
    return long;
  };
}

async function hashContent({ name, type, bytes }: ProviderDocument): Promise<string> {
  // Does not block this thread, unlike `createHash`.
  const digest = await subtle.digest('SHA-256', bytes);
  return createHash('sha256')
    .update(JSON.stringify([name, type]))
    .update(new Uint8Array(digest))
    .digest('base64url');
}

async function detectLanguage(stemming: Stemming, beginning: readonly DocumentSection[]) {
  const text = beginning.map((section) => section.text).join('\n');
  const [language = 'simple' as const] = await stemming.detectLanguages(
    splitForms(text.slice(0, maxInlineCharacters)),
  );
  return language;
}
