import yauzl from 'yauzl';

/** More entries than any document has; a table of contents is not read further. */
const maxEntries = 10_000;

/** The names in an archive's table of contents, its end included; empty when the bytes are no archive. */
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
    return new Set(); // what cannot be listed is no archive to anybody who wants to read it
  }
}
