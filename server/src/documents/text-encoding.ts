import { isUtf8 } from 'node:buffer';
import chardet from 'chardet';
import iconv from 'iconv-lite';

/** Sample for statistics and control characters. NULs are searched in the whole file. */
const sampleBytes = 64 * 1024;
/** Below this confidence, use the most common encoding. */
const leastConfidence = 30;
/** Letters beyond ASCII. */
const leastEvidence = 10;
const mostCommon = 'windows-1252';

/** Includes the end-of-file of old systems, the ISO-2022 escape and the EBCDIC next-line. */
const layoutControls = new Set('\t\n\v\f\r\u001a\u001b\u0085');

const byteOrderMarks: readonly [encoding: string, mark: readonly number[]][] = [
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Returns null for bytes that are not text. Checks byte order mark, UTF-8, zero bytes (UTF-16) and statistics. */
export function detectTextEncoding(bytes: Uint8Array): string | null {
  const encoding = guessEncoding(bytes);
  if (encoding === null) return null;
  const sample = decodeText(bytes.subarray(0, sampleBytes), encoding);
  return looksLikeText(sample) ? encoding : null;
}

/** Invalid bytes and unpaired surrogates become U+FFFD. */
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

function legacyEncoding(bytes: Uint8Array): string {
  const sample = bytes.subarray(0, sampleBytes);
  if (sample.reduce((count, byte) => count + (byte >> 7), 0) < leastEvidence) return mostCommon;
  const best = chardet
    .analyse(sample)
    .filter(({ name, confidence }) => confidence >= leastConfidence && !name.startsWith('UTF-'))
    .find(({ name }) => iconv.encodingExists(name) && looksLikeText(decodeText(sample, name)));
  // windows-1252 contains all printable characters of ISO-8859-1 and is more common.
  return best === undefined || best.name === 'ISO-8859-1' ? mostCommon : best.name;
}

function looksLikeText(sample: string): boolean {
  for (const [control] of sample.matchAll(/\p{Cc}/gu)) {
    if (!layoutControls.has(control)) return false;
  }
  const unknown = sample.match(/\ufffd/g)?.length ?? 0;
  return unknown <= 1 + sample.length / 100;
}
