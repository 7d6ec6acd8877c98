import { type ApiError, type InputIssue, invalidInput } from '../../platform/http/errors.ts';
import { malformedUpload } from './documents.errors.ts';

/** By the parser's code, which does not name the part. */
const partIssues: ReadonlyMap<string, InputIssue> = new Map([
  ['FST_PARTS_LIMIT', { path: '(body)', message: 'has too many parts' }],
  ['FST_FIELDS_LIMIT', { path: '(body)', message: 'has too many fields' }],
  ['FST_FILES_LIMIT', { path: '(body)', message: 'has too many files' }],
  ['FST_PROTO_VIOLATION', { path: '(part)', message: 'has a name that is not a known field' }],
  ['FST_INVALID_JSON_FIELD_ERROR', { path: '(part)', message: 'must be short, plain text' }],
]);

const endsEarly = 'it ends before its last boundary';
const unusable = 'its boundary is missing or too long';

/** By the error's code or, without one, its message. */
const bodyProblems: ReadonlyMap<string, string> = new Map([
  ['ECONNRESET', endsEarly],
  ['FST_MP_PREMATURE_CLOSE', endsEarly],
  ['Unexpected end of multipart data', endsEarly],
  ['Part terminated early due to unexpected end of multipart data', endsEarly],
  ['Multipart: Boundary not found', unusable],
  ['The needle cannot have a length bigger than 256.', unusable],
]);

/** Returns null for other errors. `issues` are those of the parts before. */
export function toMultipartError(error: unknown, issues: readonly InputIssue[]): ApiError | null {
  if (!(error instanceof Error)) return null;
  const { code = error.message } = error as NodeJS.ErrnoException;
  const ofPart = partIssues.get(code);
  if (ofPart !== undefined) return invalidInput([...issues, ofPart]);
  const ofBody = bodyProblems.get(code);
  return ofBody === undefined ? null : malformedUpload(ofBody);
}
