import { decodeText } from './decode.ts';

const sampleBytes = 64 * 1024;
const escapeByte = 0x1b;
const endOfFile = 0x1a;

const byteOrderMarks: readonly [encoding: string, mark: readonly number[]][] = [
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

const escapeEncodings: readonly [encoding: string, sequence: string][] = [
  ['iso-2022-kr', '\u001b$)C'],
  ['iso-2022-jp', '\u001b$B'],
  ['iso-2022-jp', '\u001b$@'],
  ['iso-2022-jp', '\u001b(J'],
  ['iso-2022-jp', '\u001b(I'],
];

/** Finds the encodings that show themselves: by a byte order mark, by their structure, or by escape sequences. */
export function detectUnicode(bytes: Uint8Array): string | null {
  const marked = byteOrderMarks.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte));
  if (marked !== undefined) return marked[0];
  if (hasControls(bytes)) return findEscapes(bytes) ?? detectWideUnicode(bytes);
  return isUtf8(bytes) ? (findEscapes(bytes) ?? 'utf-8') : null;
}

/** True for control characters that no text in one byte per character contains. */
export function hasControls(bytes: Uint8Array): boolean {
  for (const byte of bytes) {
    if (byte < 9 || (byte > 13 && byte < 32 && byte !== escapeByte && byte !== endOfFile)) return true;
  }
  return false;
}

function findEscapes(bytes: Uint8Array): string | null {
  if (!bytes.includes(escapeByte)) return null;
  const sample = new TextDecoder('latin1').decode(bytes.subarray(0, sampleBytes));
  return escapeEncodings.find(([, sequence]) => sample.includes(sequence))?.[0] ?? null;
}

/** Valid characters of several bytes for each invalid byte, such as one that was cut at the end of the file. */
const minValidPerInvalid = 20;

function isUtf8(bytes: Uint8Array): boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for (let at = 0; at < bytes.length; at += sampleBytes)
      decoder.decode(bytes.subarray(at, at + sampleBytes), { stream: true });
    decoder.decode();
    return true;
  } catch {
    const characters = new TextDecoder().decode(bytes.subarray(0, sampleBytes)).match(/[^\p{ASCII}]/gu) ?? [];
    const invalid = characters.filter((character) => character === '\ufffd').length;
    return characters.length > minValidPerInvalid * invalid;
  }
}

const wideSampleBytes = 8192;
const maxScripts = 4;
const minKnownShare = 0.9;
const maxInvalidShare = 0.01;
/** Shorter files are rather data than text. */
const minUtf16Bytes = 8;

/** Finds UTF-16 and UTF-32 without a byte order mark. */
function detectWideUnicode(bytes: Uint8Array): string | null {
  if (bytes.length % 4 === 0) {
    const found = ['utf-32le', 'utf-32be'].find((encoding) => isPlausible(bytes, encoding));
    if (found !== undefined) return found;
  }
  if (bytes.length % 2 !== 0 || bytes.length < minUtf16Bytes) return null;
  // The high bytes of one script are few.
  const encodings =
    countDistinct(bytes, 0) < countDistinct(bytes, 1) ? ['utf-16be', 'utf-16le'] : ['utf-16le', 'utf-16be'];
  return encodings.find((encoding) => isPlausible(bytes, encoding)) ?? null;
}

function countDistinct(bytes: Uint8Array, parity: 0 | 1): number {
  const distinct = new Set<number>();
  const end = Math.min(bytes.length, wideSampleBytes);
  for (let index = parity; index < end; index += 2) distinct.add(bytes[index] ?? 0);
  return distinct.size;
}

function isPlausible(bytes: Uint8Array, encoding: string): boolean {
  const text = decodeText(bytes.subarray(0, wideSampleBytes), encoding);
  const invalid = text.split('\ufffd').length - 1;
  if (invalid > maxInvalidShare * text.length) return false;
  if (/[\p{Cc}\p{Cn}\p{Co}]/u.test(text.replaceAll(/\s/g, ''))) return false;
  const letters = text.match(/\p{L}/gu) ?? [];
  const counts = scripts.map((script) => letters.filter((letter) => script.test(letter)).length);
  const known = counts.reduce((sum, count) => sum + count, 0);
  return counts.filter((count) => count > 0).length <= maxScripts && known >= minKnownShare * letters.length;
}

const scripts = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Han',
  'Hiragana',
  'Katakana',
  'Hangul',
  'Arabic',
  'Hebrew',
  'Thai',
  'Devanagari',
  'Bengali',
  'Georgian',
  'Armenian',
  'Tamil',
  'Ethiopic',
].map((script) => new RegExp(`\\p{Script=${script}}`, 'u'));
