/** A stream or storage of a compound file, the container of Word 97-2003. */
export interface CompoundFileEntry {
  name: string;
  /** Valid for streams of at least 4,096 bytes. */
  offset: number;
}

const signature = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const directoryEntryBytes = 128;
const headerAllocationSectors = 109;
/** Ends circular chains. */
const maxDirectorySectors = 1024;

/** Returns no entries for other or broken files. Source: [MS-CFB] 2.2 (header), 2.3 (chains), 2.6 (directory). */
export function readCompoundFileEntries(bytes: Uint8Array): CompoundFileEntry[] {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length < 512 || !file.subarray(0, 8).equals(signature)) return [];
  const shift = file.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) return [];
  const sectorBytes = 2 ** shift;
  const getOffset = (sector: number): number => (sector + 1) * sectorBytes;

  const entries: CompoundFileEntry[] = [];
  let sector = file.readUInt32LE(48);
  for (let visited = 0; visited < maxDirectorySectors; visited += 1) {
    const start = getOffset(sector);
    if (start + sectorBytes > file.length) break;
    for (let entry = start; entry < start + sectorBytes; entry += directoryEntryBytes) {
      const nameBytes = file.readUInt16LE(entry + 64);
      if (nameBytes < 2 || nameBytes > 64) continue;
      const name = file.toString('utf16le', entry, entry + nameBytes - 2);
      entries.push({ name, offset: getOffset(file.readUInt32LE(entry + 116)) });
    }
    const next = nextSector(file, sector, sectorBytes);
    if (next === null) break;
    sector = next;
  }
  return entries;
}

function nextSector(file: Buffer, sector: number, sectorBytes: number): number | null {
  const perTable = sectorBytes / 4;
  const table = Math.floor(sector / perTable);
  if (table >= headerAllocationSectors) return null;
  const tableStart = (file.readUInt32LE(76 + table * 4) + 1) * sectorBytes;
  const position = tableStart + (sector % perTable) * 4;
  if (position + 4 > file.length) return null;
  return file.readUInt32LE(position);
}
