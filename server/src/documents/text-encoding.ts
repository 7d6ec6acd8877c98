import { isUtf8 } from 'node:buffer';
import chardet from 'chardet';
import iconv from 'iconv-lite';

/** Statistics and control characters are judged on the beginning; NULs are looked for everywhere. */
const sampleBytes = 64 * 1024;
/** Below this confidence a guess among the single-byte encodings is no better than the most common one. */
const leastConfidence = 30;
/** Statistics over fewer letters beyond ASCII say nothing. */
const leastEvidence = 10;
const mostCommon = 'windows-1252';

/** Besides the usual ones: the end-of-file of old systems, the escape of ISO-2022 and the next-line of EBCDIC origin. */
const layoutControls = new Set('\t\n\v\f\r\u001a\u001b\u0085');

const byteOrderMarks: readonly [encoding: string, mark: readonly number[]][] = [
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/**
 * The encoding of a plain text, as a name that `decodeText` takes, or `null` when the bytes are no text. A byte order
 * mark decides, then validity as UTF-8, then the pattern of zero bytes (UTF-16), then letter statistics.
 */
export function detectTextEncoding(bytes: Uint8Array): string | null {
  const encoding = guessEncoding(bytes);
  if (encoding === null) return null;
  const sample = decodeText(bytes.subarray(0, sampleBytes), encoding);
  return looksLikeText(sample) ? encoding : null;
}

/** The text without its byte order mark. What the encoding does not know, halves of surrogate pairs too, becomes U+FFFD. */
export function decodeText(bytes: Uint8Array, encoding: string): string {
  return iconv.decode(bytes, encoding).toWellFormed();
}

function guessEncoding(bytes: Uint8Array): string | null {
  const marked = byteOrderMarks.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte));
  if (marked !== undefined) return marked[0];
  if (bytes.includes(0)) return utf16WithoutMark(bytes);
  if (isUtf8(bytes)) return bytes.includes(0x1b) ? escapeEncoding(bytes) : 'utf-8';
  return legacyEncoding(bytes);
}

/** Western scripts leave every second byte zero; other scripts without a mark cannot be told from binary data. */
function utf16WithoutMark(bytes: Uint8Array): string | null {
  if (bytes.length % 2 !== 0) return null;
  const sample = bytes.subarray(0, sampleBytes);
  let even = 0;
  let odd = 0;
  for (let index = 0; index < sample.length; index += 1) {
    if (sample[index] !== 0) continue;
    if (index % 2 === 0) even += 1;
    else odd += 1;
  }
  const many = sample.length / 4;
  if (even === 0 && odd > many) return 'utf-16le';
  if (odd === 0 && even > many) return 'utf-16be';
  return null;
}

function escapeEncoding(bytes: Uint8Array): string {
  const guess = chardet.detect(bytes.subarray(0, sampleBytes));
  return guess?.startsWith('ISO-2022') && iconv.encodingExists(guess) ? guess : 'utf-8';
}

/** The likeliest encoding in which the sample is text at all; with little to judge by, the most common one. */
function legacyEncoding(bytes: Uint8Array): string {
  const sample = bytes.subarray(0, sampleBytes);
  if (sample.reduce((count, byte) => count + (byte >> 7), 0) < leastEvidence) return mostCommon;
  const best = chardet
    .analyse(sample)
    .filter(({ name, confidence }) => confidence >= leastConfidence && !name.startsWith('UTF-'))
    .find(({ name }) => iconv.encodingExists(name) && looksLikeText(decodeText(sample, name)));
  // It contains all printable characters of ISO-8859-1, and is what files called so really are.
  return best === undefined || best.name === 'ISO-8859-1' ? mostCommon : best.name;
}

/** No control characters but those of layout; few characters that the encoding does not know. */
function looksLikeText(sample: string): boolean {
  for (const [control] of sample.matchAll(/\p{Cc}/gu)) {
    if (!layoutControls.has(control)) return false;
  }
  const unknown = sample.match(/\ufffd/g)?.length ?? 0;
  return unknown <= 1 + sample.length / 100;
}
