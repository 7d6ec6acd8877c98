import yauzl from 'yauzl';
import { ExtractionError } from './extraction.ts';

/** Parts that hold text or lead to it. Pictures, fonts and embedded files are never unpacked. */
const textPart = /^(\[Content_Types\]\.xml|(?:[^/]+\/)*[^/]+\.(?:xml|rels))$/i;
const maxEntries = 10_000;

/** Unpacks the XML parts of a docx by name. Checks declared and actual sizes, because archives can lie. */
export async function unpackDocx(
  bytes: Uint8Array,
  maxInflatedBytes: number,
): Promise<Map<string, Uint8Array>> {
  const tooLarge = (): ExtractionError =>
    new ExtractionError('too_large', `The document unpacks to more than ${maxInflatedBytes} bytes`);
  const archive = await yauzl.fromBufferPromise(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    {
      validateEntrySizes: false,
    },
  );
  if (archive.entryCount > maxEntries) throw tooLarge();

  const wanted = [];
  let declared = 0;
  for await (const entry of archive.eachEntry()) {
    if (!textPart.test(entry.fileName)) continue;
    declared += entry.uncompressedSize;
    if (declared > maxInflatedBytes) throw tooLarge();
    wanted.push(entry);
  }

  const parts = new Map<string, Uint8Array>();
  let inflated = 0;
  for (const entry of wanted) {
    const chunks: Buffer[] = [];
    for await (const chunk of await archive.openReadStreamPromise(entry)) {
      inflated += chunk.length;
      if (inflated > maxInflatedBytes) throw tooLarge();
      chunks.push(chunk);
    }
    parts.set(entry.fileName, Buffer.concat(chunks));
  }
  return parts;
}
