/** The used part of yauzl 3, which has no types. */
declare module 'yauzl' {
  import type { Readable } from 'node:stream';

  namespace yauzl {
    interface Entry {
      fileNameRaw: Buffer;
      compressedSize: number;
      /** As declared by the archive, which may lie. */
      uncompressedSize: number;
      isEncrypted(): boolean;
    }
    interface ZipFile {
      entryCount: number;
      eachEntry(): AsyncIterable<Entry>;
      openReadStreamPromise(entry: Entry): Promise<Readable>;
    }
    interface Options {
      validateEntrySizes?: boolean;
      decodeStrings?: boolean;
    }
  }
  const yauzl: {
    fromBufferPromise(buffer: Buffer, options?: yauzl.Options): Promise<yauzl.ZipFile>;
  };
  export default yauzl;
}
