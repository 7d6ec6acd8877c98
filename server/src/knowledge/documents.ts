import type { DocumentSection } from '../adapters/assistant-provider/assistant-provider.ts';
import { toIndexTerms } from './index-terms.ts';
import {
  completeDocument,
  type Db,
  insertDocument,
  insertPassages,
  type NewDocument,
  type NewPassage,
} from './knowledge.queries.ts';
import type { Language } from './languages.ts';
import { createPassageSplitter, type Passage } from './passages.ts';
import type { Stemming } from './stemming.ts';
import { splitForms } from './words.ts';

type Sections = AsyncIterable<DocumentSection> | Iterable<DocumentSection>;

const batchSize = 200;

/** Returns the ref. Resumes an interrupted call with the same tag and content. */
export async function storeDocument(
  { db, stemming }: { db: Db; stemming: Stemming },
  document: NewDocument,
  sections: Sections,
  signal?: AbortSignal,
): Promise<string> {
  const { ref, language, state } = await insertDocument(db, document);
  if (state !== 'processing') return ref;
  let ordinal = 0;
  for await (const batch of batchPassages(sections)) {
    signal?.throwIfAborted();
    await insertPassages(db, ref, await toIndexedPassages(stemming, language, batch, ordinal));
    ordinal += batch.length;
  }
  signal?.throwIfAborted();
  await completeDocument(db, ref);
  return ref;
}

async function toIndexedPassages(
  stemming: Stemming,
  language: Language,
  batch: readonly Passage[],
  firstOrdinal: number,
): Promise<NewPassage[]> {
  const words = batch.map(({ heading, text }) => splitForms(`${heading ?? ''}\n${text}`));
  const stems = await stemming.stems(language, words.flat());
  return batch.map((passage, index) => {
    const terms = toIndexTerms(words[index] ?? [], stems);
    return { ...passage, ordinal: firstOrdinal + index, terms };
  });
}

async function* batchPassages(sections: Sections): AsyncGenerator<Passage[]> {
  const passagesOf = createPassageSplitter();
  let batch: Passage[] = [];
  for await (const section of sections) {
    for (const passage of passagesOf(section)) {
      if (batch.push(passage) < batchSize) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
