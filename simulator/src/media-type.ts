const signatures: readonly { mimeType: string; offset: number; bytes: string }[] = [
  { mimeType: 'image/png', offset: 0, bytes: '\x89PNG' },
  { mimeType: 'image/jpeg', offset: 0, bytes: '\xff\xd8\xff' },
  { mimeType: 'image/gif', offset: 0, bytes: 'GIF8' },
  { mimeType: 'image/webp', offset: 8, bytes: 'WEBP' },
  { mimeType: 'audio/ogg; codecs=opus', offset: 0, bytes: 'OggS' },
  { mimeType: 'audio/wav', offset: 8, bytes: 'WAVE' },
  { mimeType: 'audio/mpeg', offset: 0, bytes: 'ID3' },
  { mimeType: 'audio/mpeg', offset: 0, bytes: '\xff\xfb' },
  { mimeType: 'audio/mp4', offset: 4, bytes: 'ftyp' },
  { mimeType: 'application/pdf', offset: 0, bytes: '%PDF-' },
];

/** Detects the type by the first bytes. Returns `application/octet-stream` for unknown types. */
export function detectMediaType(bytes: Buffer): string {
  const match = signatures.find(
    ({ offset, bytes: signature }) =>
      bytes.toString('latin1', offset, offset + signature.length) === signature,
  );
  return match?.mimeType ?? 'application/octet-stream';
}

const longestSeconds = 86_400;

/** Reads the length of an Ogg Opus recording in whole seconds, at least 1. Returns 0 for invalid or other data. */
export function readOpusSeconds(bytes: Buffer): number {
  const lastPage = bytes.lastIndexOf('OggS', undefined, 'latin1');
  if (lastPage < 0 || lastPage + 14 > bytes.length) return 0;
  const seconds = Number(bytes.readBigInt64LE(lastPage + 6)) / 48_000;
  return seconds >= 0 && seconds <= longestSeconds ? Math.max(1, Math.round(seconds)) : 0;
}
