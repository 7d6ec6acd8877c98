import { Worker } from 'node:worker_threads';
import type { DocumentSection } from '../assistant-provider.ts';
import type { NewDocument } from './embedded.queries.ts';

/** What the thread is started with. */
export interface StoreTask {
  databaseUrl: string;
  document: Omit<NewDocument, 'language'>;
  /** Its first sections; the others are asked for. */
  firstSections: readonly DocumentSection[];
}

/** What the thread says: that it wants more sections, or where it has stored them all. */
export type ThreadMessage = 'more' | { ref: string };

/** What it is given then: some sections, or none when there are no more. */
export type SectionBatch = readonly DocumentSection[];

/** Characters of the sections given at a time. */
const BATCH_CHARACTERS = 32_000;
/** Of the thread's heap; what it holds at a time are some passages and the words it has met. */
const MAX_HEAP_MB = 192;

/**
 * Stores a document in a thread of its own, which takes the sections one after another and ends when they are stored.
 * An abort ends it at once. Rejects with what ended it otherwise.
 */
export async function storeInThread(
  task: StoreTask,
  others: Iterator<DocumentSection>,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  const thread = new Worker(new URL('./document-thread-main.ts', import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  const { promise: stored, resolve, reject } = Promise.withResolvers<string>();
  const giveUp = () => reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  thread.on('message', (word: ThreadMessage) => {
    if (word !== 'more') return resolve(word.ref);
    try {
      thread.postMessage(takeSections(others));
    } catch (error) {
      reject(error);
    }
  });
  thread.on('error', reject);
  thread.on('exit', () => reject(new Error('The thread that stored the document ended too early')));
  try {
    return await stored;
  } finally {
    signal.removeEventListener('abort', giveUp);
    await thread.terminate();
  }
}

function takeSections(sections: Iterator<DocumentSection>): SectionBatch {
  const some: DocumentSection[] = [];
  let length = 0;
  while (length < BATCH_CHARACTERS) {
    const { value, done } = sections.next();
    if (done === true) break;
    some.push(value);
    length += value.text.length;
  }
  return some;
}
