import { decodeText, textEncodingOf } from '../text-encoding.ts';
import { type ExtractedText, ExtractionError } from './extraction.ts';
import { plainTextBlocks } from './plain-text-blocks.ts';
import { codePoints, extractedText } from './sections.ts';

/** The text of a plain text file. Its characters are counted as they stand in the file: there is nothing to extract. */
export function readTxt(bytes: Uint8Array): ExtractedText {
  const encoding = textEncodingOf(bytes);
  if (encoding === null) throw new ExtractionError('unreadable', 'The file is not text in a known encoding');
  const text = decodeText(bytes, encoding);
  const { sections } = extractedText(plainTextBlocks(text));
  return { sections, chars: sections.length === 0 ? 0 : codePoints(text) };
}
