import { decodeText, detectTextEncoding } from '../text-encoding.ts';
import { type ExtractedText, ExtractionError } from './extraction.ts';
import { plainTextBlocks } from './plain-text-blocks.ts';
import { countCodePoints, toExtractedText } from './sections.ts';

/** Counts the characters of the file as it is. */
export function readTxt(bytes: Uint8Array): ExtractedText {
  const encoding = detectTextEncoding(bytes);
  if (encoding === null) throw new ExtractionError('unreadable', 'The file is not text in a known encoding');
  const text = decodeText(bytes, encoding);
  const { sections } = toExtractedText(plainTextBlocks(text));
  return { sections, chars: sections.length === 0 ? 0 : countCodePoints(text) };
}
