import WordExtractor from 'word-extractor';
import { readCompoundFileEntries } from '../compound-file.ts';
import { type ExtractedText, ExtractionError } from './extraction.ts';
import { plainTextBlocks } from './plain-text-blocks.ts';
import { toExtractedText } from './sections.ts';

/** "Encrypted or obfuscated" in the File Information Block. Source: [MS-DOC] 2.5.2 FibBase. */
const fibFlagsOffset = 10;
const encryptedFlag = 0x0100;

export async function readDoc(bytes: Uint8Array): Promise<ExtractedText> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isEncrypted(file)) throw new ExtractionError('encrypted', 'The Word document is encrypted');
  const document = await new WordExtractor().extract(file);
  const asWritten = { filterUnicode: false };
  const parts = [
    document.getBody(asWritten),
    document.getTextboxes({ ...asWritten, includeHeadersAndFooters: false }),
    document.getFootnotes(asWritten),
    document.getEndnotes(asWritten),
  ];
  // Each line from the library is a paragraph.
  return toExtractedText(parts.flatMap((part) => [...plainTextBlocks(part.replaceAll('\n', '\n\n'))]));
}

function isEncrypted(file: Buffer): boolean {
  const stream = readCompoundFileEntries(file).find((entry) => entry.name === 'WordDocument');
  if (stream === undefined || stream.offset + fibFlagsOffset + 2 > file.length) return false;
  return (file.readUInt16LE(stream.offset + fibFlagsOffset) & encryptedFlag) !== 0;
}
