import { decodeText, detectTextEncoding } from '../text-encoding.ts';
import { type ExtractedText, ExtractionError } from './extraction.ts';
import { plainTextBlocks } from './plain-text-blocks.ts';
import { countCodePoints, toExtractedText } from './sections.ts';

/** Counts the characters of the file as it is. */
export function readTxt(bytes: Uint8Array): ExtractedText {
  const text = decodeTextFile(bytes);
  const { sections } = toExtractedText(plainTextBlocks(text));
  return { sections, chars: sections.length === 0 ? 0 : countCodePoints(text) };
}

/** Prefers the declared encoding to one that is only likely. */
export function decodeTextFile(bytes: Uint8Array, declared?: string): string {
  const detected = detectTextEncoding(bytes);
  if (detected === null) throw new ExtractionError('unreadable', 'The file is not text in a known encoding');
  if (declared === undefined || isUnicode(detected) || isUnicode(declared))
    return decodeText(bytes, detected);
  try {
    return new TextDecoder(declared).decode(bytes);
  } catch {
    return decodeText(bytes, detected); // an unknown name
  }
}

const isUnicode = (encoding: string): boolean => /^(?:utf|ucs|unicode)/i.test(encoding);
