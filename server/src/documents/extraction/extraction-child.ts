/**
 * The process that reads documents, one after another: a request and the document's bytes come in on standard input, an
 * answer goes out on standard output. It has no environment, may write no file and read none but the program's own.
 * Its arguments are the memory, in MiB, and the processor time for one document, in ms, beyond which it ends itself, and
 * the process that started it, without which it ends as well.
 */
import { Console } from 'node:console';
import { Worker } from 'node:worker_threads';
import type { DocumentType } from '../document-type.ts';
import type { ExtractedText } from './extraction.ts';
import { encodeFailure, encodeText, readExtractionOrders } from './extraction-messages.ts';
import { writeFrame } from './frames.ts';
import type { GuardMessage } from './process-guard.ts';
import { readDoc } from './read-doc.ts';
import { readDocx } from './read-docx.ts';
import { readPdf } from './read-pdf.ts';
import { readTxt } from './read-txt.ts';

// Ctrl-C in a terminal is for the server, which finishes what it has begun, and ends this process then.
process.on('SIGINT', () => {});
// Libraries print warnings; standard output is for answers alone.
globalThis.console = new Console(process.stderr);
const guard = new Worker(new URL('./process-guard.ts', import.meta.url), {
  workerData: {
    maxResidentBytes: Number(process.argv[2]) * 2 ** 20,
    maxProcessorMs: Number(process.argv[3]),
    parent: Number(process.argv[4]),
  },
});
guard.unref();
const tellGuard = (word: GuardMessage): void => guard.postMessage(word);
// An error that a library throws past us is the document's doing, too; what it left behind is not to be trusted.
process.on('uncaughtException', (error) => {
  if (isReading) answer([encodeFailure(error)]);
  process.stdout.end(() => process.exit(1));
});

let isReading = false;
for await (const { type, maxInflatedBytes, bytes } of readExtractionOrders(process.stdin)) {
  isReading = true;
  tellGuard('begun');
  answer(await outcomeOf(() => read(type, bytes, maxInflatedBytes)));
  tellGuard('done');
  isReading = false;
}

function answer(messages: Iterable<Buffer>): void {
  for (const message of messages) writeFrame(process.stdout, message);
}

async function outcomeOf(reading: () => Promise<ExtractedText>): Promise<Iterable<Buffer>> {
  try {
    return encodeText(await reading());
  } catch (error) {
    return [encodeFailure(error)];
  }
}

async function read(type: DocumentType, bytes: Uint8Array, maxInflatedBytes: number): Promise<ExtractedText> {
  switch (type) {
    case 'pdf':
      return readPdf(bytes);
    case 'docx':
      return readDocx(bytes, maxInflatedBytes);
    case 'doc':
      return readDoc(bytes);
    case 'txt':
      return readTxt(bytes);
    default:
      return type satisfies never;
  }
}
