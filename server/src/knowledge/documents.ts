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
import { splitWords } from './words.ts';

const batchSize = 200;
const sampleLength = 20_000;

/** Resumes an interrupted call with the same tag and content. `sample` is the beginning of the document. */
export async function storeDocument(
  { db, stemming }: { db: Db; stemming: Stemming },
  document: Omit<NewDocument, 'language'>,
  sample: readonly DocumentSection[],
  sections: AsyncIterable<DocumentSection> | Iterable<DocumentSection>,
  signal?: AbortSignal,
): Promise<string> {
  const language = await detectLanguage(stemming, sample);
  const stored = await insertDocument(db, { ...document, language });
  if (stored.state !== 'processing') return stored.ref;
  let ordinal = 0;
  for await (const batch of batchPassages(sections, batchSize)) {
    signal?.throwIfAborted();
    await insertPassages(db, stored.ref, await toIndexedPassages(stemming, stored.language, batch, ordinal));
    ordinal += batch.length;
  }
  signal?.throwIfAborted();
  await completeDocument(db, stored.ref);
  return stored.ref;
}

async function detectLanguage(stemming: Stemming, sections: readonly DocumentSection[]): Promise<Language> {
  let sample = '';
  for (const { text } of sections) {
    sample += `${text.slice(0, sampleLength - sample.length)}\n`;
    if (sample.length >= sampleLength) break;
  }
  const [language] = await stemming.detectLanguages(splitWords(sample).map(({ form }) => form));
  return language ?? 'simple';
}

async function toIndexedPassages(
  stemming: Stemming,
  language: Language,
  batch: readonly Passage[],
  firstOrdinal: number,
): Promise<NewPassage[]> {
  const words = batch.map(({ heading, text }) =>
    splitWords(`${heading ?? ''}\n${text}`).map(({ form }) => form),
  );
  const stems = await stemming.stems(language, words.flat());
  return batch.map((passage, index) => {
    const forms = words[index] ?? [];
    return {
      ...passage,
      ordinal: firstOrdinal + index,
      wordCount: forms.length,
      terms: toIndexTerms(forms, stems),
    };
  });
}

async function* batchPassages(
  sections: AsyncIterable<DocumentSection> | Iterable<DocumentSection>,
  size: number,
): AsyncGenerator<Passage[]> {
  const passagesOf = createPassageSplitter();
  let batch: Passage[] = [];
  for await (const section of sections) {
    for (const passage of passagesOf(section)) {
      batch.push(passage);
      if (batch.length < size) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
