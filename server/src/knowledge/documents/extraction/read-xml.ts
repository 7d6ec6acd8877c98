import { SaxesParser } from 'saxes';
import { ExtractionError } from './extraction.ts';

/** Names come without their prefix, so that a document may choose any prefix and any version of a namespace. */
export interface XmlHandler {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  close?(name: string): void;
  text?(text: string): void;
}

/** Deeper ones would use a lot of memory. Word writes about 20 levels for each table inside another one. */
const maxDepth = 2_000;
const sniffedBytes = 200;

/** Reports elements while the part arrives. Rejects malformed XML, and XML with a document type, which can declare entities. */
export async function readXml(chunks: AsyncIterable<Uint8Array>, handler: XmlHandler): Promise<void> {
  const parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false });
  let depth = 0;
  parser.on('doctype', () => {
    throw new ExtractionError('unreadable', 'The XML has a document type');
  });
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1;
    if (depth > maxDepth) throw new ExtractionError('unreadable', 'The XML has too many levels');
    handler.open(withoutPrefix(name), withoutPrefixes(attributes));
  });
  parser.on('closetag', ({ name }) => {
    depth -= 1;
    handler.close?.(withoutPrefix(name));
  });
  const takeText = (text: string): void => handler.text?.(text);
  parser.on('text', takeText);
  parser.on('cdata', takeText);
  let decoder: ReturnType<typeof createDecoder> | null = null;
  for await (const chunk of chunks) {
    decoder ??= createDecoder(chunk);
    parser.write(decoder.decode(chunk, { stream: true }));
  }
  parser.close();
}

const withoutPrefix = (name: string): string => name.slice(name.indexOf(':') + 1);

/** An element may have an `id` and an `r:id`; the latter refers to another part. */
function withoutPrefixes(attributes: Record<string, string>): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const name in attributes) {
    const short = withoutPrefix(name);
    if (short !== name || plain[short] === undefined) plain[short] = attributes[name] ?? '';
  }
  return plain;
}

/** Source: XML 1.0, appendix F. */
function createDecoder(beginning: Uint8Array) {
  const [first, second] = beginning;
  if (first === 0xff || second === 0) return new TextDecoder('utf-16le');
  if (first === 0xfe || first === 0) return new TextDecoder('utf-16be');
  const declaration = Buffer.from(beginning.subarray(0, sniffedBytes)).toString('latin1');
  const declared = /^(?:\xef\xbb\xbf)?<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(declaration)?.[1];
  try {
    return new TextDecoder(declared ?? 'utf-8');
  } catch {
    return new TextDecoder(); // an unknown name
  }
}
