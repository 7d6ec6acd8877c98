import { createHash } from 'node:crypto';
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { badRequest, type InputIssue, invalidInput } from '../http/errors.ts';
import { isUuid } from '../shared/ids.ts';
import { fileTooLarge } from './documents.errors.ts';
import { toMultipartError } from './multipart-errors.ts';
import { getAnnouncedBytes, receiveBody } from './upload-pace.ts';

/** The parts of an upload, checked by form; what the file is shows later. */
export interface UploadParts {
  teamId: string;
  /** `chars`, when it was sent. */
  declaredChars: number | null;
  /** As the client named it. */
  fileName: string;
  bytes: Uint8Array;
  /** Of the bytes, in hex. */
  sha256: string;
}

/** More than an upload has, so that a part too many is named rather than cut off. */
export const partLimits = { parts: 8, fields: 6, files: 3, fieldSize: 1_000, fieldNameSize: 100 };

const fieldNames = ['team_id', 'chars'] as const;
type FieldName = (typeof fieldNames)[number];
const maxChars = 2_147_483_647;

/** Bytes of a file for which its announced length is not yet believed. */
const beginning = 1024 * 1024;

interface ReceivedFile {
  name: string;
  bytes: Uint8Array;
  sha256: string;
}

/** The parser's own types do not say that a part may be without a name. */
interface Named {
  fieldname: string | undefined;
}

interface ReceivedParts {
  files: ReceivedFile[];
  fields: Map<FieldName, string>;
  issues: InputIssue[];
}

/** Throws `content_type` for any other body, before it waits for a place. */
export function requireMultipart(request: FastifyRequest): void {
  if (!request.isMultipart()) {
    throw badRequest('content_type', 'The body must be sent as multipart/form-data');
  }
}

/** Reads a multipart body, its parts in any order, and throws one 400 that names every fault of their form. */
export async function readUpload(request: FastifyRequest, maxBytes: number): Promise<UploadParts> {
  const { files, fields, issues } = await receive(request, maxBytes);
  const [file] = files;
  if (file === undefined) issues.push({ path: 'file', message: 'is required' });
  const teamId = fields.get('team_id')?.toLowerCase();
  if (teamId === undefined) issues.push({ path: 'team_id', message: 'is required' });
  else if (!isUuid(teamId)) issues.push({ path: 'team_id', message: 'must be a UUID' });
  const declaredChars = charsOf(fields.get('chars'), issues);
  if (issues.length > 0 || file === undefined || teamId === undefined) throw invalidInput(issues);
  return { teamId, declaredChars, fileName: file.name, bytes: file.bytes, sha256: file.sha256 };
}

function charsOf(text: string | undefined, issues: InputIssue[]): number | null {
  if (text === undefined) return null;
  const chars = /^(0|[1-9]\d{0,9})$/.test(text) ? Number(text) : Number.NaN;
  if (chars <= maxChars) return chars;
  issues.push({ path: 'chars', message: `must be a whole number from 0 to ${maxChars}` });
  return null;
}

async function receive(request: FastifyRequest, maxBytes: number): Promise<ReceivedParts> {
  const received: ReceivedParts = { files: [], fields: new Map(), issues: [] };
  const room = Math.min(getAnnouncedBytes(request.raw, maxBytes), maxBytes);
  try {
    await receiveBody(request.raw, maxBytes, async () => {
      for await (const part of request.parts()) {
        if (part.type === 'field') receiveField(part, received);
        else if (!(await receiveFile(part, received, room))) throw fileTooLarge(maxBytes);
      }
    });
  } catch (error) {
    // The rest is let through unread, so that the client gets to the answer.
    request.raw.unpipe().resume();
    throw toMultipartError(error, received.issues) ?? error;
  }
  return received;
}

/** `room`: bytes that it has at most. False when it has more than are taken. */
async function receiveFile(
  part: Pick<MultipartFile, 'file' | 'filename'> & Named,
  { files, issues }: ReceivedParts,
  room: number,
): Promise<boolean> {
  if (part.fieldname !== 'file' || files.length > 0) {
    issues.push(
      part.fieldname === 'file'
        ? { path: 'file', message: 'is given more than once' }
        : unknownPart(part.fieldname),
    );
    part.file.resume();
    return true;
  }
  const hash = createHash('sha256');
  // In one piece: chunks and what they are joined to would be twice the file. As large as announced once it is no mere
  // beginning, since memory that is asked for makes the collector work, used or not.
  let whole = Buffer.allocUnsafeSlow(Math.min(room, beginning));
  let length = 0;
  for await (const chunk of part.file as AsyncIterable<Buffer>) {
    hash.update(chunk);
    if (length + chunk.length > whole.length) {
      const larger = Buffer.allocUnsafeSlow(room);
      whole.copy(larger, 0, 0, length);
      whole = larger;
    }
    length += chunk.copy(whole, length);
    // What comes in fast would otherwise be taken in megabytes at a time.
    await othersTurn();
  }
  const bytes = whole.subarray(0, length);
  files.push({ name: part.filename ?? '', bytes, sha256: hash.digest('hex') });
  return !part.file.truncated;
}

function receiveField(
  part: { value: unknown; valueTruncated: boolean } & Named,
  { fields, issues }: ReceivedParts,
): void {
  const name = fieldNames.find((known) => known === part.fieldname);
  if (part.fieldname === 'file') issues.push({ path: 'file', message: 'must be a file' });
  else if (name === undefined) issues.push(unknownPart(part.fieldname));
  else if (fields.has(name)) issues.push({ path: name, message: 'is given more than once' });
  else if (typeof part.value !== 'string' || part.valueTruncated)
    issues.push({ path: name, message: 'must be short, plain text' });
  else fields.set(name, part.value);
}

function unknownPart(name: string | undefined): InputIssue {
  if (name === undefined || name === '') return { path: '(part)', message: 'must have a name' };
  const known = name === 'team_id' || name === 'chars';
  return {
    path: name.slice(0, 100),
    message: known ? 'must be a field, not a file' : 'is not a known field',
  };
}
