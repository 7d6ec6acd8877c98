import { fileTypeFromBuffer } from 'file-type';
import { isCompoundFile, isWord2, openCompoundFile } from './compound-file.ts';
import { getExtension } from './document-name.ts';
import { detectTextEncoding } from './text-encoding.ts';
import { findArchive, openArchive } from './zip-archive.ts';

export const documentTypes = ['pdf', 'txt', 'docx', 'doc'] as const;
export type DocumentType = (typeof documentTypes)[number];

export type TypeRefusal = 'empty_file' | 'unknown_type' | 'type_mismatch';

/** A template is a document, too, and people rename it. */
const wordFormats: ReadonlySet<string> = new Set(['docx', 'dotx']);
/** Programs may number the main part. */
const wordPart = /(?:^|\/)document\d*\.xml$/;

/** PDF readers accept up to this many foreign bytes before the header. */
const pdfHeaderWithin = 1024;

/** Detects the type by content, which the extension must match. Does not unpack archives. */
export async function detectDocumentType(
  bytes: Uint8Array,
  name: string,
): Promise<{ ok: true; type: DocumentType } | { ok: false; reason: TypeRefusal }> {
  if (bytes.length === 0) return { ok: false, reason: 'empty_file' };
  const type = await typeByContent(bytes);
  if (type === null) return { ok: false, reason: 'unknown_type' };
  return getExtension(name) === type ? { ok: true, type } : { ok: false, reason: 'type_mismatch' };
}

async function typeByContent(bytes: Uint8Array): Promise<DocumentType | null> {
  const beginning = Buffer.from(bytes.subarray(0, pdfHeaderWithin)).toString('latin1');
  if (beginning.startsWith('%PDF-')) return 'pdf';
  if (beginning.startsWith('{\\rtf')) return null;
  // Before the magic numbers, because a text may begin with one ("BM", "MZ").
  if (detectTextEncoding(bytes) !== null) return 'txt';
  if (beginning.includes('%PDF-')) return 'pdf';

  if (isWord2(bytes)) return 'doc';
  if (isCompoundFile(bytes)) return typeOfCompoundFile(bytes);
  return (await isWordArchive(findArchive(bytes) ?? bytes)) ? 'docx' : null;
}

async function isWordArchive(archive: Uint8Array): Promise<boolean> {
  const found = await fileTypeFromBuffer(archive);
  if (found?.ext !== 'zip') return found !== undefined && wordFormats.has(found.ext);
  const names = await readNames(archive);
  return names.includes('[content_types].xml') && names.some((name) => wordPart.test(name));
}

async function readNames(archive: Uint8Array): Promise<string[]> {
  try {
    const { entries } = (await openArchive(Buffer.from(archive))) ?? { entries: [] };
    return entries.map(({ name }) => name.toLowerCase());
  } catch {
    return []; // the directory is broken
  }
}

/** Word wraps an encrypted docx in a compound file. */
function typeOfCompoundFile(bytes: Uint8Array): DocumentType | null {
  const file = openCompoundFile(bytes);
  if (file === null) return null;
  // Before the other test, because it also holds a document that asks for a newer version of Word.
  if (file.has('EncryptedPackage')) return 'docx';
  return file.has('WordDocument') ? 'doc' : null;
}
