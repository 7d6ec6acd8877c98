import type { Readable } from 'node:stream';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { DocumentSection } from '../../adapters/assistant-provider/assistant-provider.ts';
import type { DocumentType } from '../document-type.ts';
import { type DocumentText, ExtractionError, extractionFailures } from './extraction.ts';
import { readFrames } from './frames.ts';
import { splitIntoPortions } from './portions.ts';

/** What the server asks of the extraction process; a second message with the bytes of the document follows. */
export interface ExtractionRequest {
  type: DocumentType;
  maxInflatedBytes: number;
}

/** A document as it comes to the extraction process. */
export interface ExtractionOrder extends ExtractionRequest {
  bytes: Uint8Array;
}

/** The server, on the other end, has checked the size of the upload. */
const maxOrderBytes = 2 ** 31;

/** What comes in on a process's standard input, one document after the other. */
export async function* readExtractionOrders(input: Readable): AsyncGenerator<ExtractionOrder, void> {
  let request: ExtractionRequest | null = null;
  for await (const message of readFrames(input, maxOrderBytes)) {
    if (request === null) {
      request = JSON.parse(message.toString()) as ExtractionRequest; // written by our own parent
      continue;
    }
    const order = { ...request, bytes: new Uint8Array(message) };
    request = null;
    yield order;
  }
}

const portionShape = Compile(
  Type.Array(
    Type.Object({
      page: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
      heading: Type.Union([Type.String(), Type.Null()]),
      text: Type.String(),
    }),
  ),
);

const endSchema = Type.Union([
  Type.Object({ chars: Type.Integer({ minimum: 0 }) }),
  Type.Object({
    failure: Type.Enum([...extractionFailures]),
    message: Type.String(),
  }),
]);

/** What it answers last, after the portions of a text, if there is one. */
export type ExtractionEnd = Static<typeof endSchema>;

const endShape = Compile(endSchema);

/** The messages that answer with a text: its portions, which are arrays, and an end, which is none. */
export function* encodeText({ sections, chars }: DocumentText): Generator<Buffer> {
  for (const portion of splitIntoPortions(sections)) yield Buffer.from(JSON.stringify(portion));
  yield messageOfEnd({ chars });
}

const messageOfEnd = (end: ExtractionEnd): Buffer => Buffer.from(JSON.stringify(end));

/** What a document failed by; whatever is no failure of ours is its own. */
export function encodeFailure(error: unknown): Buffer {
  if (error instanceof ExtractionError)
    return messageOfEnd({ failure: error.reason, message: error.message });
  return messageOfEnd({
    failure: 'unreadable',
    message: error instanceof Error ? error.message : String(error),
  });
}

export const isPortion = (message: Uint8Array): boolean => message[0] === '['.charCodeAt(0);

/** Checks a portion: the process has read a stranger's file and is not trusted any more. */
export function parsePortion(message: Buffer): DocumentSection[] {
  const portion: unknown = JSON.parse(message.toString());
  if (!portionShape.Check(portion)) throw new TypeError('The extraction process gave no proper text');
  return portion;
}

/** Checks an end, likewise. */
export function parseEnd(message: Buffer): ExtractionEnd {
  const end: unknown = JSON.parse(message.toString());
  if (!endShape.Check(end)) throw new TypeError('The extraction process gave no proper answer');
  return end;
}
