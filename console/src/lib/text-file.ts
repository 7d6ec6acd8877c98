/**
 * Decodes a text file: UTF-8 or UTF-16, with or without a byte order mark, or else windows-1252 or windows-1250, in which spreadsheets
 * save the languages of Western and Central Europe. Returns null for a file that is no text, such as a workbook.
 */
export function decodeTextFile(bytes: Uint8Array): string | null {
  const text = decode(bytes);
  // Workbooks are packages whose first bytes are these.
  return text.startsWith('PK\u0003\u0004') || text.includes('\0') ? null : text;
}

function decode(bytes: Uint8Array): string {
  const encoding = findUtf16(bytes);
  if (encoding !== null) return new TextDecoder(encoding).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const western = new TextDecoder('windows-1252').decode(bytes);
    return countMatches(western, central) > countMatches(western, westernOnly)
      ? new TextDecoder('windows-1250').decode(bytes)
      : western;
  }
}

/** Most characters of a table are in ASCII, so that every other byte is zero. */
function findUtf16(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const zeros: [even: number, odd: number] = [0, 0];
  for (const [index, byte] of bytes.entries()) if (byte === 0) zeros[index % 2 === 0 ? 0 : 1] += 1;
  const [even, odd] = zeros;
  if (Math.max(even, odd) <= bytes.length / 16) return null;
  return odd > even ? 'utf-16le' : 'utf-16be';
}

/** Where Western languages have these characters of windows-1252 only if the text is windows-1250, such as `by³` for `był`. */
const central =
  /[šžŠŽ\u008d\u008f\u009d]|(?<=\p{L}{2})[¹³]|(?<=\p{L})[³¿¾ºª¼](?=\p{L})|³(?=\p{L})|œ(?![ui])|õ(?!e)|û(?=[^trl]|$)|ñ(?![aeiouáéíóú])|[æê](?!\p{L})|[ùè](?=[^\P{L}aeiou])|ì(?=\p{L})|ø(?=[ieíáu])|ã(?![oes]|$|\P{L})|[þý]/gu;
const westernOnly =
  /ã[oe]|õe|ñ[aeiouáéíóú]|[çð]|[åæ](?=\p{L})|ø(?![ieíáu])|ê(?=\p{L})|[àèùò](?!\p{L})|û[trl]|œ[ui]|(?<!\p{L})[¿¡]|[ºª](?!\p{L})/gu;

const countMatches = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
