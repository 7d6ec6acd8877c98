import { createHash } from 'node:crypto';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import multipart, { type MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { type ApiError, badRequest, type InputIssue, invalidInput } from '../../platform/http/errors.ts';
import type { App } from '../../platform/http/fastify-app.ts';
import { takeStart } from '../../platform/shared/cut-text.ts';
import { isUuid } from '../../platform/shared/ids.ts';
import { fileTooLarge, malformedUpload } from './documents.errors.ts';
import { collectHead, readFileName } from './part-name.ts';
import { getAnnouncedBytes, receiveBody } from './upload-pace.ts';

export interface UploadParts {
  teamId: string;
  declaredChars: number | null;
  fileName: string;
  bytes: Uint8Array;
  /** Hex. */
  sha256: string;
}

/** More than an upload needs, so that errors can name an extra part. */
const partLimits = { parts: 8, fields: 6, files: 3, fieldNameSize: 100 };

const fieldNames = ['team_id', 'chars'] as const;
const maxChars = 2_147_483_647;

/** Values of `content-transfer-encoding` that leave the bytes as they are. Forms must not use others (RFC 7578). */
const identityEncodings: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary']);

/** A file's buffer grows to the announced length after this many bytes. */
const initialBytes = 1024 * 1024;

interface ReceivedFile {
  name: string;
  bytes: Uint8Array;
  sha256: string;
}

/** The parser's types omit that a part may lack a name. */
interface Named {
  fieldname: string | undefined;
}

interface ReceivedParts {
  files: ReceivedFile[];
  fields: Map<string, string>;
  issues: InputIssue[];
}

/** Call it in a scope of its own, so that no other route accepts multipart bodies. `fieldSize` is in bytes. */
export async function acceptMultipart(
  app: App,
  { maxBytes, fieldSize = 1_000 }: { maxBytes: number; fieldSize?: number },
): Promise<void> {
  // Leaves other bodies unread: they are rejected for their content type.
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  await app.register(multipart, {
    throwFileSizeLimit: false,
    // The parser would cut encoded names at a slash.
    preservePath: true,
    limits: { ...partLimits, fieldSize, fileSize: maxBytes },
  });
}

export function requireMultipart(request: FastifyRequest): void {
  if (!request.isMultipart()) {
    throw badRequest('content_type', 'The body must be sent as multipart/form-data');
  }
}

/** Accepts parts in any order. Throws one 400 with every issue. */
export async function readUpload(request: FastifyRequest, maxBytes: number): Promise<UploadParts> {
  const { files, fields, issues } = await receiveParts(request, maxBytes, fieldNames);
  const [file] = files;
  if (file === undefined) issues.push({ path: 'file', message: 'is required' });
  const teamId = fields.get('team_id')?.toLowerCase();
  if (teamId === undefined) issues.push({ path: 'team_id', message: 'is required' });
  else if (!isUuid(teamId)) issues.push({ path: 'team_id', message: 'must be a UUID' });
  const declaredChars = parseChars(fields.get('chars'), issues);
  if (issues.length > 0 || file === undefined || teamId === undefined) throw invalidInput(issues);
  return { teamId, declaredChars, fileName: file.name, bytes: file.bytes, sha256: file.sha256 };
}

function parseChars(text: string | undefined, issues: InputIssue[]): number | null {
  if (text === undefined) return null;
  const chars = /^(0|[1-9]\d{0,9})$/.test(text) ? Number(text) : Number.NaN;
  if (chars <= maxChars) return chars;
  issues.push({ path: 'chars', message: `must be a whole number from 0 to ${maxChars}` });
  return null;
}

/** Accepts parts in any order. Returns at most one file, and the issues of the parts. */
export async function receiveParts(
  request: FastifyRequest,
  maxBytes: number,
  known: readonly string[],
): Promise<ReceivedParts> {
  const received: ReceivedParts = { files: [], fields: new Map(), issues: [] };
  const fileBytes = Math.min(getAnnouncedBytes(request.raw, maxBytes), maxBytes);
  try {
    await receiveBody(request.raw, maxBytes, async () => {
      const readHead = collectHead(request.raw);
      const readName = () => readFileName(request.headers['content-type'] ?? '', readHead());
      for await (const part of request.parts()) {
        if (!identityEncodings.has(part.encoding.trim())) received.issues.push(encodedPart(part));
        if (part.type === 'field') receiveField(part, received, known);
        else if (!(await receiveFile(part, received, { maxBytes: fileBytes, readName, known })))
          throw fileTooLarge(maxBytes);
      }
    });
  } catch (error) {
    // Discards the rest, so that the client can read the response.
    request.raw.unpipe().resume();
    throw toMultipartError(error, received.issues) ?? error;
  }
  return received;
}

/** Returns false when the file has more than `maxBytes`. */
async function receiveFile(
  part: Pick<MultipartFile, 'file' | 'filename'> & Named,
  { files, issues }: ReceivedParts,
  {
    maxBytes,
    readName,
    known,
  }: { maxBytes: number; readName: () => string | null; known: readonly string[] },
): Promise<boolean> {
  if (part.fieldname !== 'file' || files.length > 0) {
    issues.push(
      part.fieldname === 'file'
        ? { path: 'file', message: 'is given more than once' }
        : unknownPart(part.fieldname, known),
    );
    part.file.resume();
    return true;
  }
  const hash = createHash('sha256');
  // One buffer takes half the memory of chunks. It starts small to avoid needless garbage collection.
  let whole = Buffer.allocUnsafeSlow(Math.min(maxBytes, initialBytes));
  let length = 0;
  for await (const chunk of part.file as AsyncIterable<Buffer>) {
    hash.update(chunk);
    if (length + chunk.length > whole.length) {
      const larger = Buffer.allocUnsafeSlow(maxBytes);
      whole.copy(larger, 0, 0, length);
      whole = larger;
    }
    length += chunk.copy(whole, length);
    // Without this, fast uploads block the event loop.
    await yieldToOthers();
  }
  const bytes = whole.subarray(0, length);
  files.push({ name: readName() ?? part.filename ?? '', bytes, sha256: hash.digest('hex') });
  return !part.file.truncated;
}

function receiveField(
  part: { value: unknown; valueTruncated: boolean } & Named,
  { fields, issues }: ReceivedParts,
  known: readonly string[],
): void {
  const name = known.find((field) => field === part.fieldname);
  if (part.fieldname === 'file') issues.push({ path: 'file', message: 'must be a file with a name' });
  else if (name === undefined) issues.push(unknownPart(part.fieldname, known));
  else if (fields.has(name)) issues.push({ path: name, message: 'is given more than once' });
  else if (typeof part.value !== 'string' || part.valueTruncated)
    issues.push({ path: name, message: 'must be short, plain text' });
  else fields.set(name, part.value);
}

function encodedPart({ fieldname, encoding }: { encoding: string } & Named): InputIssue {
  return {
    path: takeStart(fieldname || '(part)', 100),
    message: `must be sent as it is, without content-transfer-encoding ${takeStart(encoding, 40)}`,
  };
}

function unknownPart(name: string | undefined, known: readonly string[]): InputIssue {
  if (name === undefined || name === '') return { path: '(part)', message: 'must have a name' };
  return {
    path: takeStart(name, 100),
    message: known.includes(name) ? 'must be a field, not a file' : 'is not a known field',
  };
}

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
