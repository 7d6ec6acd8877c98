import type { IncomingMessage } from 'node:http';

/** These limits bound the time of the patterns below. The parser accepts fewer parts. */
const mostParts = 16;
const longestHeader = 8 * 1024;

/** Holds the header of the file's part, unless a client sends long parts before it. */
const headBytes = 64 * 1024;

/** Collects the beginning of a body that the parser is about to read, too. Returns a function that reads what has arrived. */
export function collectHead(body: IncomingMessage): () => Buffer {
  const chunks: Buffer[] = [];
  let length = 0;
  body.on('data', function collect(chunk: Buffer) {
    // A copy, because the chunk would keep its whole buffer in memory.
    chunks.push(Buffer.from(chunk.subarray(0, headBytes - length)));
    length += chunk.length;
    if (length >= headBytes) body.off('data', collect);
  });
  return () => Buffer.concat(chunks);
}

/** The value is quoted or ends at a semicolon. */
const parameterPattern = /;\s*([^\s=;]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;]*))/gs;

/**
 * Returns the name of the file in the part `file`. Null if its header is not in `head` or has no name. The parser reads only UTF-8, and
 * may prefer `filename` to `filename*`.
 */
export function readFileName(contentType: string, head: Buffer): string | null {
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType);
  const delimiter = `--${boundary?.[1] ?? boundary?.[2]}\r\n`;
  for (const part of head.toString('latin1').split(delimiter, mostParts)) {
    const headerEnd = Math.min(part.indexOf('\r\n\r\n') + 2, longestHeader);
    const header = part.slice(0, headerEnd).replace(/\r\n(?=[ \t])/g, '');
    const disposition = /^content-disposition:(.*)\r$/im.exec(header)?.[1] ?? '';
    const parameters = new Map(
      [...disposition.matchAll(parameterPattern)].map(([, name = '', quoted, token = '']) => [
        name.toLowerCase(),
        // Other backslashes are those of a path that old browsers send.
        quoted?.replaceAll('\\"', '"') ?? token.trim(),
      ]),
    );
    if (parameters.get('name') === 'file')
      return decodeExtended(parameters.get('filename*')) ?? decodePlain(parameters.get('filename'));
  }
  return null;
}

/** Decodes `UTF-8''a%20b.txt` (RFC 8187). */
function decodeExtended(value: string | undefined): string | null {
  const [, charset, encoded] = /^([\w-]+)'[^']*'(.*)$/.exec(value ?? '') ?? [];
  if (charset === undefined || encoded === undefined || /%(?![\da-f]{2})/i.test(encoded)) return null;
  return decodeBytes(charset, unescapeHex(encoded, /%(..)/g));
}

/** Browsers escape only quotation marks and line ends. Some clients write words of e-mail headers (RFC 2047). */
function decodePlain(value: string | undefined): string | null {
  if (value === undefined) return null;
  const text = decodeBytes('utf-8', value) ?? decodeBytes('windows-1252', value) ?? value;
  return unescapeHex(text, /%(22|0a|0d)/gi)
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(
      /=\?([\w-]+)\?([bq])\?([^?\s]*)\?=/gi,
      (word, charset: string, encoding: string, encoded: string) => {
        const isBase64 = encoding.toLowerCase() === 'b';
        const bytes = isBase64
          ? Buffer.from(encoded, 'base64').toString('latin1')
          : unescapeHex(encoded.replaceAll('_', ' '), /=([\da-f]{2})/gi);
        return decodeBytes(charset, bytes) ?? word;
      },
    );
}

const unescapeHex = (text: string, pattern: RegExp): string =>
  text.replace(pattern, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Decodes bytes that are given as Latin-1. Null if the charset is unknown or the bytes are invalid. */
function decodeBytes(charset: string, latin1: string): string | null {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(Buffer.from(latin1, 'latin1'));
  } catch {
    return null;
  }
}
