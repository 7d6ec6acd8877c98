import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { DocumentSection } from '../adapters/assistant-provider/assistant-provider.ts';
import type { NewDocument } from './knowledge.queries.ts';

export interface StoreTask {
  databaseUrl: string;
  document: NewDocument;
}

/** Sent by the thread: a request for more sections, or the ref of the stored document. */
export type ThreadMessage = 'more' | { ref: string };

const batchCharacters = 32_000;
/** Heap limit. The thread holds a few passages and the words it has stemmed. */
const maxHeapMb = 192;

/** Stores a document in its own thread, which pulls the sections batch by batch. An abort terminates the thread. */
export async function storeInThread(
  workerData: StoreTask,
  sections: Iterator<DocumentSection>,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  const thread = new Worker(new URL('./document-thread-main.ts', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  });
  const exited = once(thread, 'exit').then(() => {
    throw new Error('The thread exited before it had stored the document');
  });
  try {
    for (;;) {
      const [message]: ThreadMessage[] = await Promise.race([once(thread, 'message', { signal }), exited]);
      if (message !== undefined && message !== 'more') return message.ref;
      // Empty after the last section.
      thread.postMessage(takeSections(sections, batchCharacters));
    }
  } finally {
    await thread.terminate();
  }
}

/** Returns sections until they have this many characters, or all that are left. */
export function takeSections(sections: Iterator<DocumentSection>, characters: number): DocumentSection[] {
  const some: DocumentSection[] = [];
  for (let length = 0; length < characters; length += some.at(-1)?.text.length ?? 0) {
    const { value, done } = sections.next();
    if (done === true) break;
    some.push(value);
  }
  return some;
}
