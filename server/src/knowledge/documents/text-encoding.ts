import { decodeText } from './encodings/decode.ts';
import { rateMultiByteEncodings } from './encodings/multi-byte.ts';
import { countPairs, type Guess, rateSingleByteEncodings } from './encodings/single-byte.ts';
import { detectUnicode, hasControls } from './encodings/unicode.ts';

export { decodeText };

const sampleBytes = 64 * 1024;
const multiByteSampleBytes = 8 * 1024;
/** Below, another encoding cannot be likelier. */
const certainBits = 8.5;
const ascii = 128;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Includes the end-of-file of old systems, the ISO-2022 escape and the EBCDIC next-line. */
const layoutControls = new Set('\t\n\v\f\r\u001a\u001b\u0085');

/**
 * Returns null for bytes that are not text. Unicode and escape sequences show themselves. Otherwise, the letters decide: each encoding
 * is rated by how likely its text is in the languages that use it. Runs in browsers, too.
 */
export function detectTextEncoding(bytes: Uint8Array): string | null {
  const encoding = detectUnicode(bytes) ?? (hasControls(bytes) ? null : detectLegacyEncoding(bytes));
  if (encoding === null) return null;
  return looksLikeText(decodeText(bytes.subarray(0, sampleBytes), encoding)) ? encoding : null;
}

function detectLegacyEncoding(bytes: Uint8Array): string {
  const sample = takeSample(bytes);
  const best = pickBest(rateMultiByteEncodings(sample.subarray(0, multiByteSampleBytes)));
  if (best.bits < certainBits) return best.encoding;
  return pickBest([best, ...rateSingleByteEncodings(countPairs(sample))]).encoding;
}

const pickBest = (guesses: readonly Guess[]): Guess =>
  guesses.reduce((best, guess) => (guess.bits < best.bits ? guess : best));

/** Takes the lines with bytes beyond ASCII. No encoding uses the bytes of line ends inside a character. */
function takeSample(bytes: Uint8Array): Uint8Array {
  const sample = new Uint8Array(Math.min(bytes.length, sampleBytes));
  let length = 0;
  let start = 0;
  let isBeyondAscii = false;
  for (const [at, byte] of bytes.entries()) {
    isBeyondAscii ||= byte >= ascii;
    if (byte !== lineFeed && byte !== carriageReturn && at + 1 < bytes.length) continue;
    if (isBeyondAscii) {
      const line = bytes.subarray(start, Math.min(at + 1, start + sample.length - length));
      sample.set(line, length);
      length += line.length;
      if (length === sample.length) break;
    }
    start = at + 1;
    isBeyondAscii = false;
  }
  return sample.subarray(0, length);
}

/** Broken files contain some characters of the range U+0080 to U+009F. */
function looksLikeText(sample: string): boolean {
  let unknown = sample.split('\ufffd').length - 1;
  for (const [control] of sample.matchAll(/\p{Cc}/gu)) {
    if (layoutControls.has(control)) continue;
    if (control < ' ' || control === '\u007f') return false;
    unknown += 1;
  }
  return unknown <= 1 + sample.length / 100;
}
