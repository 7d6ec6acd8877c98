import type { DocumentSection } from '../../assistant-provider/assistant-provider.ts';

export interface ExtractedText {
  sections: DocumentSection[];
  /** Code points, headings included. */
  chars: number;
}

/** Creates its sections during iteration, because a text may be long. */
export interface DocumentText {
  sections: Iterable<DocumentSection>;
  chars: number;
}

/** The first four are final. The last two are not the document's fault; another attempt may succeed. */
export const extractionFailures = [
  'encrypted',
  'unreadable',
  'too_large',
  'timeout',
  'overloaded',
  'interrupted',
] as const;

export type ExtractionFailure = (typeof extractionFailures)[number];

export const isRetryable = ({ reason }: ExtractionError): boolean =>
  reason === 'overloaded' || reason === 'interrupted';

/** Clients see the message of `overloaded`. */
export class ExtractionError extends Error {
  override readonly name = 'ExtractionError';
  readonly reason: ExtractionFailure;
  readonly retryAfterSeconds: number | undefined;
  constructor(
    reason: ExtractionFailure,
    message: string,
    { retryAfterSeconds, ...options }: { cause?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(message, options);
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export const createStoppingError = (): ExtractionError =>
  new ExtractionError('interrupted', 'The server is stopping');
