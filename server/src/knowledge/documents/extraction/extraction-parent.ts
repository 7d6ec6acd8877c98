/** Starts the readers in place of the server, which is large and would block while each fork copies its memory map. */
import {
  type ExtractionOrder,
  encodeFailure,
  encodeText,
  readExtractionOrders,
} from './extraction-messages.ts';
import { type ExtractionLimits, lowerPriority } from './extraction-process.ts';
import { writeFrame } from './frames.ts';
import { createReaders } from './readers.ts';

const checkIntervalMs = 20;
/** An argument, since the server may end before this line. */
const server = Number(process.argv[3]);

// The server handles Ctrl-C and ends this process.
process.on('SIGINT', () => {});
// If the server is gone, nobody reads the responses. The readers end without this process.
const orphaned = () => process.kill(process.pid, 'SIGKILL');
process.stdout.on('error', orphaned);
setInterval(() => {
  if (process.ppid !== server) orphaned();
}, checkIntervalMs).unref();

// The server waits for the start of this process, but not for the readers.
lowerPriority(process.pid);
const readers = createReaders(JSON.parse(process.argv[2] ?? '') as ExtractionLimits); // written by the server
for await (const document of readExtractionOrders(process.stdin)) {
  for (const message of await encodeResult(document)) writeFrame(process.stdout, message);
}
await readers.close();

async function encodeResult(document: ExtractionOrder): Promise<Iterable<Buffer>> {
  try {
    return encodeText(await readers.extract(document, { timeoutMs: document.timeoutMs }));
  } catch (error) {
    return [encodeFailure(error)];
  }
}
