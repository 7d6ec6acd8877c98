import { hash, subtle } from 'node:crypto';
import type { DocumentSection, ProviderDocument } from '../assistant-provider/assistant-provider.ts';
import { indexVersion, toIndexTerms } from './index-terms.ts';
import {
  completeDocument,
  findPassages,
  insertDocument,
  type NewPassage,
  type SearchableDocument,
  upsertPassages,
} from './knowledge.queries.ts';
import type { SearchContext } from './passage-search.ts';
import { createPassageSplitter, type Passage } from './passages.ts';
import type { NewObject } from './tagged-objects.sql.ts';
import { splitForms } from './words.ts';

/** Passages that are inserted together. More would block the event loop for longer than a few milliseconds. */
const batchSize = 50;

/** Returns the ref, which is the same for the same operation and content. Resumes an interrupted call. */
export async function storeDocument(
  context: SearchContext,
  object: NewObject,
  { name, type, bytes, sections }: ProviderDocument,
): Promise<string> {
  const { db, stemming, yieldControl } = context;
  // Does not block the event loop, unlike `hash`.
  const digest = Buffer.from(await subtle.digest('SHA-256', bytes));
  const hashed = Buffer.concat([Buffer.from(JSON.stringify([name, type])), digest]);
  const contentHash = hash('sha256', hashed, 'base64url');
  const batches = batchPassages(sections);
  let batch = batches.next().value ?? [];
  const beginning = batch.flatMap(({ text }) => splitForms(text));
  const [detected = 'simple' as const] = await stemming.detectLanguages(beginning);
  const document = { ...object, name, contentHash, language: detected };
  const { ref, language, state } = await insertDocument(db, document);
  if (state !== 'processing') return ref;
  for (let stored = 0; batch.length > 0; batch = batches.next().value ?? []) {
    await storePassages(context, { ref, language }, stored, batch);
    stored += batch.length;
  }
  await yieldControl();
  await completeDocument(db, ref, indexVersion);
  return ref;
}

/**
 * Indexes a stored document again, whose terms an earlier version of the rules made. Until the end, searches use the earlier
 * terms. Stops early after an abort.
 */
export async function indexDocument(
  context: SearchContext,
  document: Pick<SearchableDocument, 'ref' | 'language'>,
  signal: AbortSignal,
): Promise<void> {
  for (let indexed = 0; ; ) {
    if (signal.aborted) return;
    const batch = await findPassages(context.db, document.ref, indexed, batchSize);
    if (batch.length > 0) await storePassages(context, document, indexed, batch);
    indexed += batch.length;
    if (batch.length < batchSize) break;
  }
  await completeDocument(context.db, document.ref, indexVersion);
}

async function storePassages(
  { db, stemming, yieldControl }: SearchContext,
  { ref, language }: Pick<SearchableDocument, 'ref' | 'language'>,
  firstOrdinal: number,
  batch: readonly Passage[],
): Promise<void> {
  const words: string[][] = [];
  for (const { heading, text } of batch) {
    await yieldControl();
    words.push(splitForms(`${heading ?? ''}\n${text}`));
  }
  const stems = await stemming.stems(language, words.flat());
  const passages: NewPassage[] = [];
  for (const [index, passage] of batch.entries()) {
    await yieldControl();
    passages.push({
      ...passage,
      ordinal: firstOrdinal + index,
      terms: toIndexTerms(words[index] ?? [], stems),
    });
  }
  await upsertPassages(db, ref, passages);
}

function* batchPassages(sections: Iterable<DocumentSection>): Generator<Passage[], undefined> {
  const passagesOf = createPassageSplitter();
  let batch: Passage[] = [];
  for (const section of sections) {
    for (const passage of passagesOf(section)) {
      if (batch.push(passage) < batchSize) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
