const key = '/Encrypt';
/** As long as the key, so that nothing in the file moves. */
const otherKey = '/NoCrypt';
const longestDictionary = 4096;

/**
 * Makes a file whose encryption covers only its attachments look unencrypted, because pdf.js would ask for a password that
 * the text does not need. Changes `bytes`.
 */
export function ignoreEncryptionOfAttachments(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = file.indexOf(key, 0, 'latin1');
  if (at === -1 || !leavesTextAlone(readDictionary(file, at))) return;
  for (let next = at; next !== -1; next = file.indexOf(key, next, 'latin1'))
    file.write(otherKey, next, 'latin1');
}

/** Returns the dictionary itself, or the object that the key refers to. */
function readDictionary(file: Buffer, at: number): string {
  const read = (start: number) => file.toString('latin1', start, start + longestDictionary);
  const value = read(at + key.length);
  const reference = /^\s+(\d+\s+\d+)\s+R/.exec(value)?.[1];
  if (reference === undefined) return value;
  const object = file.indexOf(`\n${reference} obj`, 0, 'latin1');
  return object === -1 ? '' : (read(object).split('endobj', 1)[0] ?? '');
}

/** From version 4, filters apply to streams, strings and attachments separately. */
const leavesTextAlone = (dictionary: string): boolean =>
  /\/V\s*[45]\b/.test(dictionary) &&
  ['StmF', 'StrF'].every((name) => {
    const filter = new RegExp(`/${name}\\s*/(\\w+)`).exec(dictionary)?.[1];
    return filter === undefined || filter === 'Identity';
  });
