import { fileTypeFromBuffer } from 'file-type';
import { readCompoundFileEntries } from './compound-file.ts';
import { getExtension } from './document-name.ts';
import { detectTextEncoding } from './text-encoding.ts';
import { readZipEntryNames } from './zip-directory.ts';

export type DocumentType = 'pdf' | 'txt' | 'docx' | 'doc';

/** Why a file is refused; `details.reason` of the error. */
export type TypeRefusal = 'empty_file' | 'unknown_type' | 'type_mismatch';

/** Readers accept a PDF whose header comes after some foreign bytes, up to this many. */
const pdfHeaderWithin = 1024;

/**
 * The type of an uploaded file, told by its content alone; the extension of its name must then say the same.
 * Takes milliseconds for any size: nothing is unpacked beyond a table of contents.
 */
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
  // Before the magic numbers: many of them are two letters, and a text may begin with those ("BMW", "MZ").
  if (detectTextEncoding(bytes) !== null) return 'txt';
  if (beginning.includes('%PDF-')) return 'pdf';

  const found = await fileTypeFromBuffer(bytes);
  if (found?.ext === 'docx') return 'docx';
  if (found?.ext === 'zip') return (await holdsWordDocument(bytes)) ? 'docx' : null;
  return readCompoundFileEntries(bytes).some((entry) => entry.name === 'WordDocument') ? 'doc' : null;
}

/** An archive with its parts in an unusual order is recognised by its table of contents. */
async function holdsWordDocument(bytes: Uint8Array): Promise<boolean> {
  const names = await readZipEntryNames(bytes);
  return names.has('[Content_Types].xml') && names.has('word/document.xml');
}
