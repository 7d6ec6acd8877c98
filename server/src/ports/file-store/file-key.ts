const segmentPattern = /^[A-Za-z0-9._-]{1,255}$/;
const maxKeyLength = 1024;

export const isFileKey = (key: string): boolean =>
  key.length <= maxKeyLength && key.split('/').every(isSegment);

export function assertFileKey(key: string): void {
  if (!isFileKey(key)) {
    throw new TypeError(`Invalid file key: ${JSON.stringify(key.slice(0, 200))}`);
  }
}

export function assertFileKeyPrefix(prefix: string): void {
  if (prefix !== '') assertFileKey(prefix.endsWith('/') ? prefix.slice(0, -1) : prefix);
}

function isSegment(segment: string): boolean {
  return segmentPattern.test(segment) && segment !== '.' && segment !== '..';
}
