import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { getDocument, type PDFDocumentProxy, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { type ExtractedText, ExtractionError } from './extraction.ts';
import { insertFields, readAnnotations } from './pdf-annotations.ts';
import { type PdfPage, pdfBlocks } from './pdf-blocks.ts';
import { groupRuns, type PdfLine, type PdfTextItem, toPdfLine } from './pdf-lines.ts';
import { toExtractedText } from './sections.ts';

/** More of them are a sign of a hostile file, which may announce millions of pages. */
const maxBrokenPages = 100;

/** Leaves out broken pages, unless no page has text. Throws `encrypted` only if the text needs a password. */
export async function readPdf(bytes: Uint8Array): Promise<ExtractedText> {
  const document = await openPdf(bytes);
  try {
    const pages: PdfPage[] = [];
    const errors: unknown[] = [];
    for (let number = 1; number <= document.numPages && errors.length <= maxBrokenPages; number += 1) {
      try {
        pages.push(await readPage(await document.getPage(number)));
      } catch (error) {
        errors.push(error);
        pages.push({ lines: [], notes: [] });
      }
    }
    const text = toExtractedText(pdfBlocks(removeRunningLines(pages)));
    if (text.chars === 0 && errors.length > 0) throw errors[0];
    return text;
  } finally {
    await document.loadingTask.destroy();
  }
}

async function readPage(page: PDFPageProxy): Promise<PdfPage> {
  try {
    // Broken annotations do not hide the text of their page.
    const { fields, notes } = await readAnnotations(page).catch(() => ({ fields: [], notes: [] }));
    const lines = groupRuns(await readItems(page));
    return { lines: insertFields(lines, fields).map(toPdfLine), notes };
  } finally {
    page.cleanup();
  }
}

async function readItems(page: PDFPageProxy): Promise<PdfTextItem[]> {
  // pdf.js would normalize ligatures before it reverses right-to-left text.
  const { items, styles } = await page.getTextContent({ disableNormalization: true });
  return items
    .filter((item) => 'str' in item)
    .map((item) => ({ ...item, isVertical: styles[item.fontName]?.vertical === true }));
}

const manifest = findPackageJSON('pdfjs-dist', import.meta.url);
const folder = manifest === undefined ? '' : dirname(manifest);

/** Tables of character codes and fonts that files refer to by name. */
const dataFiles = {
  cMapUrl: join(folder, 'cmaps/'),
  standardFontDataUrl: join(folder, 'standard_fonts/'),
};

async function openPdf(bytes: Uint8Array): Promise<PDFDocumentProxy> {
  ignoreEncryptionOfAttachments(bytes);
  try {
    // Images have no text, so none is decoded.
    return await getDocument({
      data: bytes,
      ...dataFiles,
      useSystemFonts: false,
      maxImageSize: 1,
      verbosity: 0,
    }).promise;
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException')
      throw new ExtractionError('encrypted', 'The PDF is encrypted');
    throw error;
  }
}

const key = '/Encrypt';
/** As long as the key, so that nothing in the file moves. */
const otherKey = '/NoCrypt';
const longestDictionary = 4096;

/**
 * Makes a file whose encryption covers only its attachments look unencrypted, because pdf.js would ask for a password that
 * the text does not need. Changes `bytes`.
 */
function ignoreEncryptionOfAttachments(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = file.indexOf(key, 0, 'latin1');
  if (at === -1 || !leavesTextAlone(readDictionary(file, at))) return;
  for (let next = at; next !== -1; next = file.indexOf(key, next, 'latin1'))
    file.write(otherKey, next, 'latin1');
}

/** Returns the dictionary itself, or the object that the key refers to. */
function readDictionary(file: Buffer, at: number): string {
  const read = (start: number) => file.toString('latin1', start, start + longestDictionary);
  const value = read(at + key.length);
  const reference = /^\s+(\d+\s+\d+)\s+R/.exec(value)?.[1];
  if (reference === undefined) return value;
  const object = file.indexOf(`\n${reference} obj`, 0, 'latin1');
  return object === -1 ? '' : (read(object).split('endobj', 1)[0] ?? '');
}

/** From version 4, filters apply to streams, strings and attachments separately. */
const leavesTextAlone = (dictionary: string): boolean =>
  /\/V\s*[45]\b/.test(dictionary) &&
  ['StmF', 'StrF'].every((name) => {
    const filter = new RegExp(`/${name}\\s*/(\\w+)`).exec(dictionary)?.[1];
    return filter === undefined || filter === 'Identity';
  });

const minPages = 3;
const edgeLines = 2;
/** With blanks and dashes. A longer line is not a page number and would take cubic time. */
const maxPageNumberLength = 30;
const pageNumber = /^\s*[-–—]?\s*(?:\d{1,4}|[ivxl]{1,6})\s*[-–—]?\s*$/;

/** Removes repeated headers and footers, which would split the text, and page numbers. Keeps pages that have no other text. */
export function removeRunningLines(pages: readonly PdfPage[]): PdfPage[] {
  const repeated = new Map<string, number>();
  for (const { lines } of pages) {
    const edges = new Set([...lines.slice(0, edgeLines), ...lines.slice(-edgeLines)].map(toShape));
    for (const shape of edges) repeated.set(shape, (repeated.get(shape) ?? 0) + 1);
  }
  const threshold = Math.max(minPages, pages.length / 2);
  return pages.map(({ lines, notes }) => {
    const kept = lines.filter((line, index) => {
      const fromEdge = Math.min(index, lines.length - 1 - index);
      if (fromEdge === 0 && isPageNumber(line.text)) return false;
      return fromEdge >= edgeLines || (repeated.get(toShape(line)) ?? 0) < threshold;
    });
    return { lines: kept.length === 0 ? lines : kept, notes };
  });
}

const isPageNumber = (text: string): boolean => text.length <= maxPageNumberLength && pageNumber.test(text);

function toShape(line: PdfLine): string {
  return `${Math.round(line.y)} ${line.text.trim().replaceAll(/\d+/g, '#')}`;
}
