/** The used part of yauzl 3, which has no types. */
declare module 'yauzl' {
  import type { Readable } from 'node:stream';

  interface Entry {
    fileName: string;
    /** As declared by the archive, which may lie. */
    uncompressedSize: number;
  }
  interface ZipFile {
    entryCount: number;
    eachEntry(): AsyncIterable<Entry>;
    openReadStreamPromise(entry: Entry): Promise<Readable>;
  }
  const yauzl: {
    fromBufferPromise(buffer: Buffer, options?: { validateEntrySizes?: boolean }): Promise<ZipFile>;
  };
  export default yauzl;
}
