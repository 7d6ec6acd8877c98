/** Stores one long document at low priority: see `storeInThread`. */
import { once } from 'node:events';
import os from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { DocumentSection } from '../adapters/assistant-provider/assistant-provider.ts';
import { connectDatabase } from '../database/database.ts';
import type { SectionBatch, StoreTask, ThreadMessage } from './document-thread.ts';
import { storeDocument } from './documents.ts';
import { createStemming } from './stemming.ts';

const { databaseUrl, document, firstSections: beginning } = workerData as StoreTask; // from `storeInThread`

const niceness = os.constants.priority.PRIORITY_BELOW_NORMAL;
// On other systems, the priority applies to the whole process. A process may not lower its own niceness.
if (process.platform === 'linux' && os.getPriority() < niceness) os.setPriority(niceness);

const connection = connectDatabase({
  url: databaseUrl,
  poolSize: 1,
  applicationName: 'parley storing a document',
  // The connection is never idle, so a failure also fails the running statement.
  logger: { warn: () => undefined },
});
try {
  const { db } = connection;
  const ref = await storeDocument({ db, stemming: createStemming(db) }, document, beginning, allSections());
  say({ ref });
} finally {
  await connection.close();
}

async function* allSections(): AsyncGenerator<DocumentSection> {
  yield* beginning;
  for (;;) {
    say('more');
    const more = await nextSections();
    if (more.length === 0) return;
    yield* more;
  }
}

async function nextSections(): Promise<SectionBatch> {
  if (parentPort === null) throw new Error('This is no thread');
  const [more] = (await once(parentPort, 'message')) as [SectionBatch];
  return more;
}

function say(word: ThreadMessage): void {
  parentPort?.postMessage(word);
}
