/** Reads one document at a time. Arguments: memory in MiB, processor time in ms, process id of the parent. */
import { Console } from 'node:console';
import { Worker } from 'node:worker_threads';
import type { DocumentType } from '../document-type.ts';
import type { ExtractedText } from './extraction.ts';
import { encodeFailure, encodeText, readExtractionOrders } from './extraction-messages.ts';
import { writeFrame } from './frames.ts';
import type { GuardMessage } from './process-guard.ts';

// The server handles Ctrl-C and ends this process.
process.on('SIGINT', () => {});
// Libraries print warnings. Standard output is for responses only.
globalThis.console = new Console(process.stderr);
const guard = new Worker(new URL('./process-guard.ts', import.meta.url), {
  workerData: {
    maxResidentBytes: Number(process.argv[2]) * 2 ** 20,
    maxProcessorMs: Number(process.argv[3]),
    parent: Number(process.argv[4]),
  },
});
guard.unref();
const notifyGuard = (message: GuardMessage): void => guard.postMessage(message);
// A library threw asynchronously because of the document. The state of this process is unknown now.
process.on('uncaughtException', (error) => {
  if (isReading) respond([encodeFailure(error)]);
  process.stdout.end(() => process.exit(1));
});

let isReading = false;
for await (const { type, maxInflatedBytes, timeoutMs, bytes } of readExtractionOrders(process.stdin)) {
  isReading = true;
  notifyGuard({ timeoutMs });
  respond(await encodeResult(() => read(type, bytes, maxInflatedBytes)));
  notifyGuard(null);
  isReading = false;
}

function respond(messages: Iterable<Buffer>): void {
  for (const message of messages) writeFrame(process.stdout, message);
}

async function encodeResult(reading: () => Promise<ExtractedText>): Promise<Iterable<Buffer>> {
  try {
    return encodeText(await reading());
  } catch (error) {
    return [encodeFailure(error)];
  }
}

/** Loads only the libraries of this type, because loading all of them takes longer than most documents. */
async function read(type: DocumentType, bytes: Uint8Array, maxInflatedBytes: number): Promise<ExtractedText> {
  switch (type) {
    case 'pdf':
      return (await import('./read-pdf.ts')).readPdf(bytes);
    case 'docx':
      return (await import('./read-docx.ts')).readDocx(bytes, maxInflatedBytes);
    case 'doc':
      return (await import('./read-doc.ts')).readDoc(bytes);
    case 'txt':
      return (await import('./read-txt.ts')).readTxt(bytes);
    case 'md':
      return (await import('./read-html.ts')).readMarkdown(bytes);
    case 'html':
      return (await import('./read-html.ts')).readHtml(bytes);
    case 'csv':
      return (await import('./read-csv.ts')).readCsv(bytes);
    case 'xlsx':
      return (await import('./read-xlsx.ts')).readXlsx(bytes, maxInflatedBytes);
    case 'pptx':
      return (await import('./read-pptx.ts')).readPptx(bytes, maxInflatedBytes);
    default:
      return type satisfies never;
  }
}
