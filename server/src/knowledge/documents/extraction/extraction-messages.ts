import type { Readable } from 'node:stream';
import type { DocumentSection } from '../../assistant-provider/assistant-provider.ts';
import type { DocumentType } from '../document-type.ts';
import {
  type DocumentText,
  ExtractionError,
  type ExtractionFailure,
  extractionFailures,
} from './extraction.ts';
import { readFrames } from './frames.ts';
import { splitIntoPortions } from './portions.ts';

/** Followed by a message with the document's bytes. */
export interface ExtractionRequest {
  type: DocumentType;
  maxInflatedBytes: number;
  /** By the clock. */
  timeoutMs: number;
}

export interface ExtractionOrder extends ExtractionRequest {
  bytes: Uint8Array;
}

/** The server has checked the size of the upload. */
const maxOrderBytes = 2 ** 31;

export async function* readExtractionOrders(input: Readable): AsyncGenerator<ExtractionOrder, void> {
  let request: ExtractionRequest | null = null;
  for await (const message of readFrames(input, maxOrderBytes)) {
    if (request === null) {
      request = JSON.parse(message.toString()) as ExtractionRequest; // written by the parent process
      continue;
    }
    const order = { ...request, bytes: new Uint8Array(message) };
    request = null;
    yield order;
  }
}

export type ExtractionEnd = { chars: number } | { failure: ExtractionFailure; message: string };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const isInteger = (value: unknown, min: number): boolean => Number.isInteger(value) && Number(value) >= min;

// Loading a schema library takes more processor time than reading most documents.
const isSection = (value: unknown): value is DocumentSection =>
  isObject(value) &&
  (value.page === null || isInteger(value.page, 1)) &&
  (value.heading === null || typeof value.heading === 'string') &&
  typeof value.text === 'string';
const isEnd = (value: unknown): value is ExtractionEnd => {
  if (!isObject(value)) return false;
  if (!('failure' in value)) return isInteger(value.chars, 0);
  return extractionFailures.some((failure) => failure === value.failure) && typeof value.message === 'string';
};

/** Encodes a text as portions, which are arrays, and an end, which is an object. */
export function* encodeText({ sections, chars }: DocumentText): Generator<Buffer> {
  for (const portion of splitIntoPortions(sections)) yield Buffer.from(JSON.stringify(portion));
  yield encodeEnd({ chars });
}

const encodeEnd = (end: ExtractionEnd): Buffer => Buffer.from(JSON.stringify(end));

/** Treats unknown errors as failures of the document. */
export function encodeFailure(error: unknown): Buffer {
  if (error instanceof ExtractionError) return encodeEnd({ failure: error.reason, message: error.message });
  return encodeEnd({
    failure: 'unreadable',
    message: error instanceof Error ? error.message : String(error),
  });
}

export const isPortion = (message: Uint8Array): boolean => message[0] === '['.charCodeAt(0);

/** Validates the portion, because the process has read an untrusted file. */
export function parsePortion(message: Buffer): DocumentSection[] {
  const portion: unknown = JSON.parse(message.toString());
  if (!Array.isArray(portion) || !portion.every(isSection))
    throw new TypeError('The extraction process sent an invalid portion');
  return portion;
}

export function parseEnd(message: Buffer): ExtractionEnd {
  const end: unknown = JSON.parse(message.toString());
  if (!isEnd(end)) throw new TypeError('The extraction process sent an invalid end');
  return end;
}
