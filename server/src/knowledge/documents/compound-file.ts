/**
 * A compound file is the container of Word 97-2003, and has storages and streams like folders and files. Streams are chains of
 * sectors. Source: [MS-CFB].
 */
export interface CompoundFile {
  /** Returns a stream of this storage, not of those in it. Names ignore case. */
  readStream(name: string): Buffer | null;
  has(name: string): boolean;
  /** Returns the storages in this one. Each is returned once, also if a broken file has circles. */
  listStorages(): CompoundFile[];
}

interface Entry {
  name: string;
  type: number;
  left: number;
  right: number;
  child: number;
  firstSector: number;
  bytes: number;
}

type Chain = (firstSector: number) => number[];

const signature = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const headerBytes = 512;
const directoryEntryBytes = 128;
const headerTables = { offset: 76, count: 109 };
const miniSectorBytes = 64;
const storageType = 1;
const streamType = 2;
const word2Magic = [0xdb, 0xa5];
const word2HeaderBytes = 0x20;

export const isCompoundFile = (bytes: Uint8Array): boolean =>
  bytes.length >= headerBytes && signature.equals(bytes.subarray(0, signature.length));

/** Word 2 for Windows has no container: the file is the stream. */
export const isWord2 = (bytes: Uint8Array): boolean =>
  bytes.length >= word2HeaderBytes && word2Magic.every((byte, index) => bytes[index] === byte);

/** Returns null for other files. Reads the intact sectors of a broken file. */
export function openCompoundFile(bytes: Uint8Array): CompoundFile | null {
  if (!isCompoundFile(bytes)) return null;
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const shift = file.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) return null;
  const sectorBytes = 2 ** shift;
  const readSector = (sector: number): Buffer =>
    file.subarray((sector + 1) * sectorBytes, (sector + 2) * sectorBytes);
  const join = (sectors: readonly number[]): Buffer => Buffer.concat(sectors.map(readSector));

  const chain = createChain(join(listTables(file, readSector)));
  const entries = readEntries(join(chain(file.readUInt32LE(48))));
  const [root] = entries;
  if (root === undefined) return null;
  const smallStreams = join(chain(root.firstSector));
  const smallChain = createChain(join(chain(file.readUInt32LE(60))));
  const smallBelow = file.readUInt32LE(56);

  const readEntry = ({ bytes: length, firstSector }: Entry): Buffer => {
    const isSmall = length < smallBelow;
    const content = isSmall
      ? Buffer.concat(
          smallChain(firstSector).map((sector) =>
            smallStreams.subarray(sector * miniSectorBytes, (sector + 1) * miniSectorBytes),
          ),
        )
      : join(chain(firstSector));
    return content.subarray(0, length);
  };
  const opened = new Set<Entry>();
  const openStorage = ({ child }: Entry): CompoundFile => {
    const members = listSiblings(entries, child);
    const find = (name: string): Entry | undefined =>
      members.find((entry) => entry.type === streamType && entry.name.toLowerCase() === name.toLowerCase());
    return {
      has: (name) => find(name) !== undefined,
      readStream(name) {
        const entry = find(name);
        return entry === undefined ? null : readEntry(entry);
      },
      listStorages() {
        const storages = members.filter((entry) => entry.type === storageType && !opened.has(entry));
        for (const entry of storages) opened.add(entry);
        return storages.map(openStorage);
      },
    };
  };
  return openStorage(root);
}

/** The sectors of the allocation table: 109 in the header, the others in a chain of their own (2.5). */
function listTables(file: Buffer, readSector: (sector: number) => Buffer): number[] {
  const tables = readNumbers(
    file.subarray(headerTables.offset, headerTables.offset + 4 * headerTables.count),
  );
  const visited = new Set<number>();
  let sector = file.readUInt32LE(68);
  while (!visited.has(sector)) {
    visited.add(sector);
    const numbers = readNumbers(readSector(sector));
    sector = numbers.pop() ?? sector;
    tables.push(...numbers);
  }
  return tables;
}

function readNumbers(bytes: Buffer): number[] {
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readUInt32LE(index * 4));
}

/** Chains end at a special number, beyond the file, or in a circle. */
function createChain(table: Buffer): Chain {
  const next = readNumbers(table);
  return (firstSector) => {
    const sectors = new Set<number>();
    for (let sector = firstSector; !sectors.has(sector); ) {
      const following = next[sector];
      if (following === undefined) break;
      sectors.add(sector);
      sector = following;
    }
    return [...sectors];
  };
}

function readEntries(directory: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at + directoryEntryBytes <= directory.length; at += directoryEntryBytes) {
    const nameBytes = Math.min(64, Math.max(2, directory.readUInt16LE(at + 64)));
    entries.push({
      name: directory.toString('utf16le', at, at + nameBytes - 2),
      type: directory.readUInt8(at + 66),
      left: directory.readUInt32LE(at + 68),
      right: directory.readUInt32LE(at + 72),
      child: directory.readUInt32LE(at + 76),
      firstSector: directory.readUInt32LE(at + 116),
      bytes: directory.readUInt32LE(at + 120),
    });
  }
  return entries;
}

/** The entries of a storage are a tree of siblings (2.6.4). Embedded objects are storages with entries of the same names. */
function listSiblings(entries: readonly Entry[], first: number): Entry[] {
  const found = new Map<number, Entry>();
  const pending = [first];
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    const entry = entries[id];
    if (entry === undefined || found.has(id)) continue;
    found.set(id, entry);
    pending.push(entry.left, entry.right);
  }
  return [...found.values()];
}
