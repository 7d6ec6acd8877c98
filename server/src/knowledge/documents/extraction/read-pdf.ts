import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { getDocument, type PDFDocumentProxy, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { type ExtractedText, ExtractionError } from './extraction.ts';
import { insertFields, readAnnotations } from './pdf-annotations.ts';
import { type PdfPage, pdfBlocks } from './pdf-blocks.ts';
import { ignoreEncryptionOfAttachments } from './pdf-encryption.ts';
import { groupRuns, type PdfTextItem, toPdfLine } from './pdf-lines.ts';
import { removeRunningLines } from './running-lines.ts';
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
