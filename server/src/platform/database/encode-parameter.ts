/** Returns a statement's parameter in PostgreSQL's text format; bytes stay bytes. */
export function encodeParameter(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'object') return String(value);
  if (value instanceof Uint8Array) return asBuffer(value);
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? encodeArray(value) : JSON.stringify(value);
}

const encodeArray = (items: readonly unknown[]): string => `{${items.map(encodeItem).join()}}`;

function encodeItem(item: unknown): string {
  if (Array.isArray(item)) return encodeArray(item);
  if (item instanceof Uint8Array) return `"\\\\x${asBuffer(item).toString('hex')}"`;
  const encoded = encodeParameter(item);
  return encoded === null ? 'NULL' : `"${String(encoded).replaceAll(/[\\"]/g, '\\$&')}"`;
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
