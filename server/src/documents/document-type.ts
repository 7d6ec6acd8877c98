import { fileTypeFromBuffer } from 'file-type';
import { readCompoundFileEntries } from './compound-file.ts';
import { getExtension } from './document-name.ts';
import { detectTextEncoding } from './text-encoding.ts';
import { readZipEntryNames } from './zip-directory.ts';

export const documentTypes = ['pdf', 'txt', 'docx', 'doc'] as const;
export type DocumentType = (typeof documentTypes)[number];

export type TypeRefusal = 'empty_file' | 'unknown_type' | 'type_mismatch';

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

  const found = await fileTypeFromBuffer(bytes);
  if (found?.ext === 'docx') return 'docx';
  if (found?.ext === 'zip') return (await holdsWordDocument(bytes)) ? 'docx' : null;
  return readCompoundFileEntries(bytes).some((entry) => entry.name === 'WordDocument') ? 'doc' : null;
}

async function holdsWordDocument(bytes: Uint8Array): Promise<boolean> {
  const names = await readZipEntryNames(bytes);
  return names.has('[Content_Types].xml') && names.has('word/document.xml');
}
