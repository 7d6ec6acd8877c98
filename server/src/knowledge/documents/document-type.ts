import { isCompoundFile, isWord2, openCompoundFile } from './compound-file.ts';
import { getExtension } from './document-name.ts';
import { detectTextEncoding } from './text-encoding.ts';
import { findArchive, openArchive } from './zip-archive.ts';

/** The first four are of the contract, the others are an extension. */
export const documentTypes = ['pdf', 'txt', 'docx', 'doc', 'md', 'html', 'csv', 'xlsx', 'pptx'] as const;
export type DocumentType = (typeof documentTypes)[number];

export type TypeRefusal = 'empty_file' | 'unknown_type' | 'type_mismatch';

/** The extension decides between them, because a Markdown or CSV file may look like any text. */
const textTypes: ReadonlySet<string> = new Set<DocumentType>(['txt', 'md', 'html', 'csv']);

interface OfficeType {
  type: DocumentType;
  /** A template is a document, too, and people rename it. */
  formats: readonly string[];
  /** Programs may number the main part. */
  mainPart: RegExp;
}

const officeTypes: readonly OfficeType[] = [
  { type: 'docx', formats: ['docx', 'dotx'], mainPart: /(?:^|\/)document\d*\.xml$/ },
  { type: 'xlsx', formats: ['xlsx', 'xltx'], mainPart: /(?:^|\/)workbook\d*\.xml$/ },
  { type: 'pptx', formats: ['pptx', 'potx', 'ppsx'], mainPart: /(?:^|\/)presentation\d*\.xml$/ },
];

/** PDF readers accept up to this many foreign bytes before the header. */
const pdfHeaderWithin = 1024;

/** Detects the type by content, which the extension must match. Does not unpack archives. */
export async function detectDocumentType(
  bytes: Uint8Array,
  name: string,
): Promise<{ ok: true; type: DocumentType } | { ok: false; reason: TypeRefusal }> {
  if (bytes.length === 0) return { ok: false, reason: 'empty_file' };
  const extension = getExtension(name);
  const type = await typeByContent(bytes, extension);
  if (type === null) return { ok: false, reason: 'unknown_type' };
  return extension === type ? { ok: true, type } : { ok: false, reason: 'type_mismatch' };
}

async function typeByContent(bytes: Uint8Array, extension: string): Promise<DocumentType | null> {
  const beginning = Buffer.from(bytes.subarray(0, pdfHeaderWithin)).toString('latin1');
  if (beginning.startsWith('%PDF-')) return 'pdf';
  if (beginning.startsWith('{\\rtf')) return null;
  // Before the magic numbers, because a text may begin with one ("BM", "MZ").
  if (detectTextEncoding(bytes) !== null)
    return documentTypes.find((type) => type === extension && textTypes.has(type)) ?? 'txt';
  if (beginning.includes('%PDF-')) return 'pdf';

  if (isWord2(bytes)) return 'doc';
  if (isCompoundFile(bytes)) return typeOfCompoundFile(bytes, extension);
  return typeOfArchive(findArchive(bytes) ?? bytes);
}

async function typeOfArchive(archive: Uint8Array): Promise<DocumentType | null> {
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(archive);
  if (found === undefined) return null;
  if (found.ext !== 'zip')
    return officeTypes.find(({ formats }) => formats.includes(found.ext))?.type ?? null;
  const names = await readNames(archive);
  if (!names.includes('[content_types].xml')) return null;
  return officeTypes.find(({ mainPart }) => names.some((name) => mainPart.test(name)))?.type ?? null;
}

async function readNames(archive: Uint8Array): Promise<string[]> {
  try {
    const { entries } = (await openArchive(Buffer.from(archive))) ?? { entries: [] };
    return entries.map(({ name }) => name.toLowerCase());
  } catch {
    return []; // the directory is broken
  }
}

/** Office wraps an encrypted file in a compound file, which does not show its type. */
function typeOfCompoundFile(bytes: Uint8Array, extension: string): DocumentType | null {
  const file = openCompoundFile(bytes);
  if (file === null) return null;
  // Before the other test, because it also holds a document that asks for a newer version of Word.
  if (file.has('EncryptedPackage')) return officeTypes.find(({ type }) => type === extension)?.type ?? 'docx';
  return file.has('WordDocument') ? 'doc' : null;
}
