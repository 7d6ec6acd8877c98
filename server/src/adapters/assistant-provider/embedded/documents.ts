import { createHash } from 'node:crypto';
import type { DocumentSection, OwnerTag, ProviderDocument } from '../assistant-provider.ts';
import {
  completeDocument,
  type Db,
  insertDocument,
  insertPassages,
  type NewPassage,
} from './embedded.queries.ts';
import type { Language } from './languages.ts';
import { type Passage, passagesOf } from './passages.ts';
import type { Stemming } from './stemming.ts';
import { indexTermsOf } from './terms.ts';
import { wordsOf } from './words.ts';

/** Passages written at a time: bounds both the statement and the stretch for which the event loop is kept. */
const BATCH = 200;
/** Characters that the language is told from. */
const SAMPLE = 20_000;

/**
 * Stores a document with its passages. Repeating it with the same tag and content continues where an earlier call
 * broke off: passages are the same in content and order each time.
 */
export async function storeDocument(
  context: { db: Db; stemming: Stemming; signal: AbortSignal },
  owner: { ref: string; installationId: string; tag: OwnerTag; createdAt: Date },
  document: ProviderDocument,
): Promise<string> {
  const { db, stemming, signal } = context;
  const stored = await insertDocument(db, {
    ...owner,
    contentHash: contentHashOf(document),
    name: document.name,
    language: await documentLanguage(stemming, document.sections),
  });
  if (stored.state !== 'processing') return stored.ref;
  let ordinal = 0;
  for (const batch of batchesOf(passagesOf(document.sections), BATCH)) {
    signal.throwIfAborted();
    await insertPassages(db, stored.ref, await indexed(stemming, stored.language, batch, ordinal));
    ordinal += batch.length;
  }
  signal.throwIfAborted();
  await completeDocument(db, stored.ref);
  return stored.ref;
}

async function documentLanguage(stemming: Stemming, sections: readonly DocumentSection[]): Promise<Language> {
  let sample = '';
  for (const { text } of sections) {
    sample += `${text.slice(0, SAMPLE - sample.length)}\n`;
    if (sample.length >= SAMPLE) break;
  }
  const [language] = await stemming.languagesOf(wordsOf(sample).map(({ form }) => form));
  return language ?? 'simple';
}

async function indexed(
  stemming: Stemming,
  language: Language,
  batch: readonly Passage[],
  firstOrdinal: number,
): Promise<NewPassage[]> {
  const words = batch.map(({ heading, text }) =>
    wordsOf(`${heading ?? ''}\n${text}`).map(({ form }) => form),
  );
  const stems = await stemming.stems(language, words.flat());
  return batch.map((passage, index) => {
    const forms = words[index] ?? [];
    return {
      ...passage,
      ordinal: firstOrdinal + index,
      wordCount: forms.length,
      terms: indexTermsOf(forms, stems),
    };
  });
}

function* batchesOf<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

function contentHashOf({ name, type, sections }: ProviderDocument): string {
  return createHash('sha256')
    .update(JSON.stringify([name, type, sections]))
    .digest('base64url');
}
