import { type ApiError, type InputIssue, invalidInput } from '../http/errors.ts';
import { malformedUpload } from './documents.errors.ts';

/** Faults of parts, by the code of the parser, which does not say which part it was. */
const faultsOfParts: ReadonlyMap<string, InputIssue> = new Map([
  ['FST_PARTS_LIMIT', { path: '(body)', message: 'has too many parts' }],
  ['FST_FIELDS_LIMIT', { path: '(body)', message: 'has too many fields' }],
  ['FST_FILES_LIMIT', { path: '(body)', message: 'has too many files' }],
  ['FST_PROTO_VIOLATION', { path: '(part)', message: 'has a name that is not a known field' }],
  ['FST_INVALID_JSON_FIELD_ERROR', { path: '(part)', message: 'must be short, plain text' }],
]);

const endsEarly = 'it ends before its last boundary';
const unusable = 'its boundary is missing or too long';

/** Why no parts can be told from each other, by the code of an error or, of one without, its message. */
const faultsOfBodies: ReadonlyMap<string, string> = new Map([
  ['ECONNRESET', endsEarly],
  ['FST_MP_PREMATURE_CLOSE', endsEarly],
  ['Unexpected end of multipart data', endsEarly],
  ['Part terminated early due to unexpected end of multipart data', endsEarly],
  ['Multipart: Boundary not found', unusable],
  ['The needle cannot have a length bigger than 256.', unusable],
]);

/**
 * What the client is told when a multipart body could not be read to its end; `issues`: of the parts before. Null when
 * the fault is none of the body's.
 */
export function toMultipartError(error: unknown, issues: readonly InputIssue[]): ApiError | null {
  if (!(error instanceof Error)) return null;
  const { code = error.message } = error as NodeJS.ErrnoException;
  const ofPart = faultsOfParts.get(code);
  if (ofPart !== undefined) return invalidInput([...issues, ofPart]);
  const ofBody = faultsOfBodies.get(code);
  return ofBody === undefined ? null : malformedUpload(ofBody);
}
