import mammoth from 'mammoth';
import { unpackDocx } from './docx-archive.ts';
import { type DocxElement, docxBlocks } from './docx-blocks.ts';
import { type ExtractedText, ExtractionError } from './extraction.ts';
import { toExtractedText } from './sections.ts';

/** Mammoth gets only the parts that were unpacked within limits, never the archive itself. */
export async function readDocx(bytes: Uint8Array, maxInflatedBytes: number): Promise<ExtractedText> {
  const parts = await unpackDocx(bytes, maxInflatedBytes);
  let read: DocxElement | null = null;
  const takeDocument = (document: DocxElement): DocxElement => {
    read = document;
    return { ...document, children: [] }; // nothing is left to be written as HTML
  };
  // The package's types lack `file`, an opened archive.
  const input = { file: openedArchive(parts) } as unknown as { buffer: Buffer };
  await mammoth.convertToHtml(input, { transformDocument: takeDocument, includeEmbeddedStyleMap: false });
  if (read === null) throw new ExtractionError('unreadable', 'The document has no body');
  return toExtractedText(docxBlocks(read));
}

function openedArchive(parts: ReadonlyMap<string, Uint8Array>) {
  return {
    exists: (name: string): boolean => parts.has(name),
    read: async (name: string, encoding?: string): Promise<string | Uint8Array> => {
      const part = parts.get(name);
      if (part === undefined) throw new ExtractionError('unreadable', `The document lacks its part ${name}`);
      return encoding === undefined ? part : new TextDecoder(encoding).decode(part);
    },
  };
}
