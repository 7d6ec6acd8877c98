/**
 * The process between the server and those that read documents. A process is started as a copy of the one that starts it,
 * which stands still for as long as its memory map takes to be copied: 18 ms from a server of 300 MiB, several times that on
 * a busy machine, after each document that could not be read. This one is small, reads nothing itself and lives as long as
 * the server. Its arguments are the limits of a reader, as JSON, and the server's process; documents come and answers go as
 * with those (extraction-child.ts).
 */
import { encodeFailure, encodeText, readExtractionOrders } from './extraction-messages.ts';
import { type ExtractionLimits, lowerPriority } from './extraction-process.ts';
import { writeFrame } from './frames.ts';
import { createReaders } from './readers.ts';

const everyMs = 20;
/** Told, since it may have gone before this is read. */
const server = Number(process.argv[3]);

// Ctrl-C in a terminal is for the server, which ends this process.
process.on('SIGINT', () => {});
// Without the server there is nobody to answer; without this process the readers end themselves.
const orphaned = () => process.kill(process.pid, 'SIGKILL');
process.stdout.on('error', orphaned);
setInterval(() => {
  if (process.ppid !== server) orphaned();
}, everyMs).unref();

// Somebody waits for the start; what comes is in nobody's way.
lowerPriority(process.pid);
const readers = createReaders(JSON.parse(process.argv[2] ?? '') as ExtractionLimits); // written by our own parent
for await (const document of readExtractionOrders(process.stdin)) {
  for (const message of await answerTo(document)) writeFrame(process.stdout, message);
}
await readers.close();

async function answerTo(document: Parameters<typeof readers.extract>[0]): Promise<Iterable<Buffer>> {
  try {
    return encodeText(await readers.extract(document));
  } catch (error) {
    return [encodeFailure(error)];
  }
}
