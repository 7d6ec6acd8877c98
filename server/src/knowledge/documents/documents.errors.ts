import { ApiError, badRequest, operationFailed, unavailable } from '../../platform/http/errors.ts';
import { maxNameLength, type NameRefusal } from './document-name.ts';
import { documentTypes, type TypeRefusal } from './document-type.ts';
import type { ExtractionError } from './extraction/extraction.ts';

type Refusal = NameRefusal | TypeRefusal | 'extension_changed';

const refusals: Record<Exclude<Refusal, 'unknown_type'>, string> = {
  name_empty: 'The file has no name; send one with an extension',
  name_too_long: `The name is longer than ${maxNameLength} characters; shorten it`,
  extension_changed: 'A new name must keep the extension of the document',
  empty_file: 'The file is empty; send its bytes',
  type_mismatch: "The file's content does not match the extension of its name; correct the name or the file",
};

export const documentRefused = (reason: Refusal): ApiError =>
  reason === 'unknown_type'
    ? badRequest(reason, `The file must be one of ${documentTypes.join(', ')}`, {
        supported: [...documentTypes],
      })
    : badRequest(reason, refusals[reason]);

export const fileTooLarge = (limit: number): ApiError =>
  badRequest('file_too_large', `The file is larger than ${limit} bytes`, { limit });

/** Closes the connection, so that the rest of the body does not keep arriving. */
export const bodyTooSlow = (): ApiError =>
  new ApiError(400, 'BAD_REQUEST', 'The body arrived too slowly; retry over a faster connection', {
    details: { reason: 'request_timeout' },
    headers: { connection: 'close' },
  });

export const malformedUpload = (why: string): ApiError =>
  badRequest('malformed_multipart', `The multipart body could not be read: ${why}`);

const overloaded = (why: string, retryAfterSeconds = 5): ApiError =>
  unavailable('overloaded', `${why}; try again`, retryAfterSeconds);

export const tooManyUploads = (): ApiError => overloaded('Too many documents are being uploaded');

export function textRefused(error: ExtractionError): ApiError {
  switch (error.reason) {
    case 'encrypted':
      return badRequest('encrypted', 'The document is encrypted; remove its password');
    case 'unreadable':
      return badRequest(
        'unreadable',
        'The document is damaged and cannot be read; save it again and upload the copy',
      );
    case 'too_large':
      return badRequest('text_too_large', 'The document has too much text or data to read; split it');
    case 'timeout':
      return badRequest('text_timeout', 'The document takes too long to read; split or simplify it');
    case 'overloaded':
      return overloaded(error.message, error.retryAfterSeconds);
    case 'interrupted':
      return operationFailed(
        'extraction_interrupted',
        'Reading the document was interrupted; upload it again',
        error,
      );
    default:
      return error.reason satisfies never;
  }
}

export const providerUnavailable = (cause: unknown): ApiError =>
  operationFailed(
    'provider_unavailable',
    'The AI provider did not accept the document; nothing was stored',
    cause,
  );

export const storageUnavailable = (cause: unknown): ApiError =>
  operationFailed('storage_unavailable', 'The document could not be stored; nothing was changed', cause);

export const uploadInterrupted = (): ApiError =>
  operationFailed(
    'upload_interrupted',
    'The upload was interrupted; list the documents to see whether it succeeded',
  );
