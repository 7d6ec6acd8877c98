import type { FastifyRequest } from 'fastify';
import { parseDocumentName } from '../../knowledge/documents/document-name.ts';
import { documentRefused } from '../../knowledge/documents/documents.errors.ts';
import { detectTextEncoding } from '../../knowledge/documents/text-encoding.ts';
import { receiveParts } from '../../knowledge/documents/upload-parts.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { badRequest, invalidInput, notFound } from '../../platform/http/errors.ts';
import { isOggOpus, readSeconds, writeSpokenOggOpus } from '../../ports/speech/ogg-opus.ts';
import { isWebm, readWebmPackets } from '../../ports/speech/webm-opus.ts';
import { type MediaFiles, stageBytes } from '../messages/media-files.ts';
import type { SentFile } from '../messages/outbox.ts';
import { selectConversation } from './conversations.queries.ts';

/** In Unicode code points. Networks cut longer ones. */
export const maxCaption = 1024;

/** What WhatsApp accepts of an image. */
export const maxFileBytes = 16 * 1024 * 1024;

interface PersonFile {
  name: string;
  bytes: Uint8Array;
  text: string;
  /** Of all that was sent. */
  fingerprint: string;
}

/** Throws one 400 with every issue. */
export async function readPersonFile(request: FastifyRequest, maxBytes: number): Promise<PersonFile> {
  const { files, fields, issues } = await receiveParts(request, maxBytes, ['text']);
  const [file] = files;
  const text = fields.get('text')?.trim() ?? '';
  if (file === undefined) issues.push({ path: 'file', message: 'is required' });
  if (!text.isWellFormed() || text.includes('\0'))
    issues.push({ path: 'text', message: 'must not contain U+0000' });
  if ([...text].length > maxCaption)
    issues.push({ path: 'text', message: `must have at most ${maxCaption} characters` });
  if (issues.length > 0 || file === undefined) throw invalidInput(issues);
  const named = parseDocumentName(file.name);
  if (!named.ok) throw documentRefused(named.reason);
  if (file.bytes.length === 0) throw documentRefused('empty_file');
  const { bytes, sha256 } = file;
  return { name: named.name, bytes, text, fingerprint: JSON.stringify([named.name, text, sha256]) };
}

/** Puts a large file into the file store. Throws `conversation_not_found` (404) and `unreadable` (400). */
export async function stagePersonFile(
  { db, mediaFiles }: { db: Database; mediaFiles: MediaFiles },
  { scope }: Actor,
  conversationId: string,
  { name, bytes, text }: PersonFile,
): Promise<SentFile> {
  const conversation = await selectConversation(db, scope, conversationId);
  if (conversation === undefined) throw notFound('conversation');
  const voice = text === '' ? toVoiceNote(bytes) : null;
  const described = voice ?? { ...(await describeFile(bytes, name)), bytes, seconds: null };
  return stageBytes(mediaFiles, conversation.team_id, { ...described, waveform: null });
}

const photos: ReadonlySet<string> = new Set(['image/jpeg', 'image/png']);

async function describeFile(
  bytes: Uint8Array,
  fileName: string,
): Promise<Pick<SentFile, 'kind' | 'mimeType' | 'fileName'>> {
  const { fileTypeFromBuffer } = await import('file-type');
  const plain = () => (detectTextEncoding(bytes) === null ? 'application/octet-stream' : 'text/plain');
  const mimeType = (await fileTypeFromBuffer(bytes))?.mime ?? plain();
  return photos.has(mimeType) ? { kind: 'image', mimeType } : { kind: 'document', mimeType, fileName };
}

/** Returns null for another file. Browsers record Opus in WebM, which networks do not play. */
function toVoiceNote(
  bytes: Uint8Array,
): (Pick<SentFile, 'kind' | 'mimeType' | 'seconds'> & { bytes: Uint8Array }) | null {
  try {
    const packets = isWebm(bytes) ? readWebmPackets(bytes) : null;
    const sound = packets === null ? bytes : writeSpokenOggOpus(packets);
    if (!isOggOpus(sound)) return null;
    const seconds = Math.max(1, Math.round(readSeconds(sound)));
    return { kind: 'voice', mimeType: 'audio/ogg; codecs=opus', bytes: sound, seconds };
  } catch (error) {
    if (error instanceof RangeError)
      throw badRequest('unreadable', 'The voice note is damaged or too long; record it again');
    throw error;
  }
}
