import yauzl from 'yauzl';

const maxEntries = 10_000;

/** Returns the names in an archive's directory; none when the bytes are not an archive. */
export async function readZipEntryNames(bytes: Uint8Array): Promise<Set<string>> {
  const names = new Set<string>();
  try {
    const archive = await yauzl.fromBufferPromise(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    );
    if (archive.entryCount > maxEntries) return names;
    for await (const entry of archive.eachEntry()) names.add(entry.fileName);
    return names;
  } catch {
    return new Set(); // not a readable archive
  }
}
