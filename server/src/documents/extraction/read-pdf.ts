import { getDocumentProxy } from 'unpdf';
import { type ExtractedText, ExtractionError } from './extraction.ts';
import { pdfBlocks } from './pdf-blocks.ts';
import { type PdfLine, pdfLines } from './pdf-lines.ts';
import { removeRunningLines } from './running-lines.ts';
import { toExtractedText } from './sections.ts';

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Also rejects an encrypted PDF that opens without a password. */
export async function readPdf(bytes: Uint8Array): Promise<ExtractedText> {
  const document = await openPdf(bytes);
  try {
    const { info } = await document.getMetadata();
    if ('EncryptFilterName' in info && info.EncryptFilterName !== null) throw encrypted();
    const pages: PdfLine[][] = [];
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      pages.push(pdfLines(items.filter((item) => 'str' in item)));
      page.cleanup();
    }
    return toExtractedText(pdfBlocks(removeRunningLines(pages)));
  } finally {
    await document.loadingTask.destroy();
  }
}

async function openPdf(bytes: Uint8Array): Promise<PdfDocument> {
  try {
    return await getDocumentProxy(bytes, { useSystemFonts: false, verbosity: 0 });
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') throw encrypted();
    throw error;
  }
}

const encrypted = (): ExtractionError => new ExtractionError('encrypted', 'The PDF is encrypted');
