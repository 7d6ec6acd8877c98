/** One part of a multipart body, its header as it stands on the wire. */
export interface RawPart {
  header: string;
  content: string | Uint8Array;
}

export const field = (name: string, value: string): RawPart => ({
  header: `content-disposition: form-data; name="${name}"`,
  content: value,
});

/** `name` is written as it is, quotes and all: what a browser would escape stays. */
export const file = (name: string, content: string | Uint8Array, part = 'file'): RawPart => ({
  header: `content-disposition: form-data; name="${part}"; filename="${name}"\r\ncontent-type: application/octet-stream`,
  content,
});

/** A multipart body, byte by byte, since libraries would not write a hostile one. */
export function multipartBody(parts: readonly RawPart[], boundary: string): Buffer {
  return Buffer.concat([
    ...parts.flatMap(({ header, content }) => [
      Buffer.from(`--${boundary}\r\n${header}\r\n\r\n`),
      typeof content === 'string' ? Buffer.from(content) : content,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
}
