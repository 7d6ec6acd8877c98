import yauzl from 'yauzl';

const maxArchiveEntries = 10_000;

const endSignature = Buffer.from('PK\x05\x06', 'latin1');
const end64Signature = Buffer.from('PK\x06\x06', 'latin1');
const locator64Signature = Buffer.from('PK\x06\x07', 'latin1');
const directorySignature = Buffer.from('PK\x01\x02', 'latin1');
const endBytes = 22;
const locator64Bytes = 20;
/** Ends the search in files that repeat the signature. */
const maxCandidates = 100;

export interface ZipEntry extends yauzl.Entry {
  /** With slashes, without one at the beginning. */
  name: string;
}

export interface ZipArchive {
  entries: ZipEntry[];
  openStream(entry: ZipEntry): Promise<AsyncIterable<Buffer>>;
}

/**
 * Returns the archive without foreign bytes before and after it, as written by mail gateways and download managers. Returns null if
 * the bytes contain no archive. Source: APPNOTE.TXT 4.3.14 to 4.3.16 (end records).
 */
export function findArchive(bytes: Uint8Array): Buffer | null {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = file.length;
  for (let candidate = 0; candidate < maxCandidates && end > 0; candidate += 1) {
    end = file.lastIndexOf(endSignature, end - 1);
    if (end === -1) return null;
    const start = end + endBytes > file.length ? null : findStart(file, end);
    if (start !== null) return cutArchive(file, start, end);
  }
  return null;
}

/** Returns the offset that the offsets in the directory count from, or null for an end record without a directory. */
function findStart(file: Buffer, end: number): number | null {
  if (hasSignature(file, end - locator64Bytes, locator64Signature)) {
    const declared = Number(file.readBigUInt64LE(end - locator64Bytes + 8));
    if (hasSignature(file, declared, end64Signature)) return 0;
    const found = file.lastIndexOf(end64Signature, end - locator64Bytes);
    return found === -1 || found < declared ? null : found - declared;
  }
  const directoryBytes = file.readUInt32LE(end + 12);
  const declared = file.readUInt32LE(end + 16);
  const found = end - directoryBytes;
  if (found >= declared && hasSignature(file, found, directorySignature)) return found - declared;
  return hasSignature(file, declared, directorySignature) ? 0 : null;
}

const hasSignature = (file: Buffer, offset: number, signature: Buffer): boolean =>
  offset >= 0 && file.subarray(offset, offset + signature.length).equals(signature);

function cutArchive(file: Buffer, start: number, end: number): Buffer {
  const commentBytes = file.readUInt16LE(end + 20);
  if (end + endBytes + commentBytes === file.length) return file.subarray(start);
  const archive = Buffer.from(file.subarray(start, end + endBytes));
  archive.writeUInt16LE(0, archive.length - 2);
  return archive;
}

/** Reads the directory. Throws for broken archives, and returns null if it has more than 10,000 entries. */
export async function openArchive(archive: Buffer): Promise<ZipArchive | null> {
  // Without `decodeStrings`, yauzl accepts names with backslashes and absolute paths.
  const zip = await yauzl.fromBufferPromise(archive, { validateEntrySizes: false, decodeStrings: false });
  if (zip.entryCount > maxArchiveEntries) return null;
  const entries: ZipEntry[] = [];
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileNameRaw.toString('utf8').replaceAll('\\', '/').replace(/^\/+/, '');
    entries.push(Object.assign(entry, { name }));
  }
  return { entries, openStream: (entry) => zip.openReadStreamPromise(entry) };
}
