import iconv from 'iconv-lite';

const byteOrderMarks = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
] as const;

/**
 * Decodes the text of a response by its byte order mark, else by the charset of its `Content-Type`. Without one, the text is
 * UTF-8, or Windows-1252 if it is not valid UTF-8.
 */
export function decodeText(bytes: Uint8Array, contentType: string | string[] | undefined): string {
  const marked = byteOrderMarks.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))?.[0];
  const [, charset = 'utf-8'] = /charset\s*=\s*["']?([^\s;"',]+)/i.exec(String(contentType)) ?? [];
  return (
    decodeAs(marked ?? charset, bytes) ??
    decodeAs('utf-8', bytes) ??
    new TextDecoder('windows-1252').decode(bytes)
  );
}

/** Returns null if the encoding is unknown, or is UTF-8 and the bytes are not. */
function decodeAs(charset: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(charset, { fatal: /^utf-?8$/i.test(charset) }).decode(bytes);
  } catch {
    return iconv.encodingExists(charset) && !/^utf-?8$/i.test(charset)
      ? iconv.decode(Buffer.from(bytes), charset)
      : null;
  }
}
