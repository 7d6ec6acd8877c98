import type { DocumentSection } from '../../adapters/assistant-provider/assistant-provider.ts';

/** The text of a document, as a reader of its format finds it. */
export interface ExtractedText {
  /** In reading order; none when the document has no text. */
  sections: DocumentSection[];
  /** Code points of the whole text, headings included. */
  chars: number;
}

/** The text of a document for the rest of the program. It may be long: its sections are made while they are gone through. */
export interface DocumentText {
  sections: Iterable<DocumentSection>;
  chars: number;
}

/** The first four are faults of the document and final; the last two are ours, and another attempt may succeed. */
export const extractionFailures = [
  'encrypted',
  'unreadable',
  'too_large',
  'timeout',
  'overloaded',
  'interrupted',
] as const;

export type ExtractionFailure = (typeof extractionFailures)[number];

/** Whether another attempt at the same document may succeed. */
export const isRetryable = ({ reason }: ExtractionError): boolean =>
  reason === 'overloaded' || reason === 'interrupted';

/** Why a document gave no text. The message of `overloaded` is told to clients. */
export class ExtractionError extends Error {
  override readonly name = 'ExtractionError';
  readonly reason: ExtractionFailure;
  constructor(reason: ExtractionFailure, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.reason = reason;
  }
}

/** Documents that are read or wait while the server stops fail with this error. */
export const createStoppingError = (): ExtractionError =>
  new ExtractionError('interrupted', 'The server is stopping');
