/** Stores one long document at low priority: see `storeInThread`. */
import { on } from 'node:events';
import os from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { DocumentSection } from '../adapters/assistant-provider/assistant-provider.ts';
import { connectDatabase } from '../database/database.ts';
import type { StoreTask, ThreadMessage } from './document-thread.ts';
import { storeDocument } from './documents.ts';
import { createStemming } from './stemming.ts';

const { databaseUrl, document } = workerData as StoreTask; // from `storeInThread`
if (parentPort === null) throw new Error('This is no thread');
const port = parentPort;
const send = (message: ThreadMessage) => port.postMessage(message);

const niceness = os.constants.priority.PRIORITY_BELOW_NORMAL;
// On other systems, the priority applies to the whole process. A process may not lower its own niceness.
if (process.platform === 'linux' && os.getPriority() < niceness) os.setPriority(niceness);

const { db, close } = connectDatabase({
  url: databaseUrl,
  poolSize: 1,
  applicationName: 'parley storing a document',
  // The connection is never idle, so a failure also fails the running statement.
  logger: { warn: () => undefined },
});
try {
  send({ ref: await storeDocument({ db, stemming: createStemming(db) }, document, pullSections()) });
} finally {
  await close();
}

async function* pullSections(): AsyncGenerator<DocumentSection> {
  send('more');
  for await (const [batch] of on(port, 'message')) {
    const sections: DocumentSection[] = batch; // as `storeInThread` posts them
    if (sections.length === 0) return;
    yield* sections;
    send('more');
  }
}
