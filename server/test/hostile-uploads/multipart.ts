/** A part of a multipart body with its raw header. */
export interface RawPart {
  header: string;
  content: string | Uint8Array;
}

export const field = (name: string, value: string): RawPart => ({
  header: `content-disposition: form-data; name="${name}"`,
  content: value,
});

/** `name` is written without escaping. */
export const file = (name: string, content: string | Uint8Array, part = 'file'): RawPart => ({
  header: `content-disposition: form-data; name="${part}"; filename="${name}"\r\ncontent-type: application/octet-stream`,
  content,
});

/** Returns the bytes of a multipart body. Libraries refuse to write hostile ones. */
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
