/** How the files of a backup are written and read. */
export interface FileFormat {
  /** Appended to the name of each file. */
  suffix: string;
  /** Converts the content of a file while it is written or read. */
  convert(content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}

export const plainFiles: FileFormat = { suffix: '', convert: (content) => content };
