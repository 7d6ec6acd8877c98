/** A stream, or a storage with entries of its own. */
export interface CompoundEntry {
  name: string;
  content: Buffer | readonly CompoundEntry[];
}

const sectorBytes = 512;
const miniSectorBytes = 64;
const smallBelow = 4096;
const none = 0xffffffff;
const endOfChain = 0xfffffffe;
const tableSector = 0xfffffffd;

/** Returns a compound file ([MS-CFB]), the container of Word 97-2003. Streams below 4,096 bytes share the mini stream. */
export function makeCompoundFile(entries: readonly CompoundEntry[]): Buffer {
  const sectors: Buffer[] = [];
  const next: number[] = [];
  const miniSectors: Buffer[] = [];
  const miniNext: number[] = [];
  const store = (content: Buffer, into: Buffer[], links: number[], size: number): number => {
    if (content.length === 0) return endOfChain;
    const first = into.length;
    for (let at = 0; at < content.length; at += size) {
      const sector = Buffer.alloc(size);
      content.copy(sector, 0, at, at + size);
      into.push(sector);
      links.push(at + size < content.length ? into.length : endOfChain);
    }
    return first;
  };
  const storeLarge = (content: Buffer): number => store(content, sectors, next, sectorBytes);

  const directory: Buffer[] = [directoryEntry('Root Entry', 5)];
  /** Links the entries of a storage as a list of right siblings. Returns the first one. */
  const addEntries = (children: readonly CompoundEntry[]): number => {
    const first = directory.length;
    const own = children.map(({ name, content }) => directoryEntry(name, Buffer.isBuffer(content) ? 2 : 1));
    directory.push(...own);
    for (const [index, { content }] of children.entries()) {
      const entry = own[index] ?? Buffer.alloc(0);
      if (index + 1 < own.length) entry.writeUInt32LE(first + index + 1, 72);
      if (!Buffer.isBuffer(content)) {
        entry.writeUInt32LE(addEntries(content), 76);
        continue;
      }
      const isSmall = content.length < smallBelow;
      const at = isSmall ? store(content, miniSectors, miniNext, miniSectorBytes) : storeLarge(content);
      entry.writeUInt32LE(at, 116);
      entry.writeUInt32LE(content.length, 120);
    }
    return first;
  };
  directory[0]?.writeUInt32LE(addEntries(entries), 76);
  directory[0]?.writeUInt32LE(storeLarge(Buffer.concat(miniSectors)), 116);
  directory[0]?.writeUInt32LE(miniSectors.length * miniSectorBytes, 120);
  const directoryStart = storeLarge(Buffer.concat(directory));
  const miniTableStart = storeLarge(numbers(miniNext));

  const tableCount = Math.ceil((sectors.length + 2) / (sectorBytes / 4 - 1));
  const tableStart = sectors.length;
  const table = numbers([...next, ...Array<number>(tableCount).fill(tableSector)], none);
  return Buffer.concat([
    compoundHeader({ tableStart, tableCount, directoryStart, miniTableStart }),
    ...sectors,
    Buffer.concat([table, Buffer.alloc(tableCount * sectorBytes - table.length, 0xff)]),
  ]);
}

function numbers(values: readonly number[], filler = none): Buffer {
  const bytes = Buffer.alloc(Math.ceil((values.length * 4) / sectorBytes) * sectorBytes);
  for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(values[at / 4] ?? filler, at);
  return bytes;
}

function directoryEntry(name: string, type: number): Buffer {
  const entry = Buffer.alloc(128);
  entry.write(name, 0, 'utf16le');
  entry.writeUInt16LE(2 * name.length + 2, 64);
  entry.writeUInt8(type, 66);
  for (const at of [68, 72, 76]) entry.writeUInt32LE(none, at);
  return entry;
}

function compoundHeader(
  parts: Record<'tableStart' | 'tableCount' | 'directoryStart' | 'miniTableStart', number>,
) {
  const header = Buffer.alloc(sectorBytes);
  header.write('d0cf11e0a1b11ae1', 'hex');
  header.writeUInt16LE(9, 30);
  header.writeUInt16LE(6, 32);
  header.writeUInt32LE(parts.tableCount, 44);
  header.writeUInt32LE(parts.directoryStart, 48);
  header.writeUInt32LE(smallBelow, 56);
  header.writeUInt32LE(parts.miniTableStart, 60);
  header.writeUInt32LE(endOfChain, 68);
  for (let index = 0; index < 109; index += 1)
    header.writeUInt32LE(index < parts.tableCount ? parts.tableStart + index : none, 76 + 4 * index);
  return header;
}

const storyOrder = ['body', 'footnotes', 'margins', 'macros', 'comments', 'endnotes', 'textBoxes'] as const;
export type Stories = Partial<Record<(typeof storyOrder)[number], string>>;

/** Characters from `start` to `end` of all stories together. */
export interface Deletion {
  start: number;
  end: number;
}

const textStart = 0x400;

/** Returns the streams of a document of Word 97, whose text is UTF-16 ([MS-DOC]). Paragraphs end with `\r`. */
export function wordStreams(stories: Stories, deletion?: Deletion): CompoundEntry[] {
  const text = storyOrder.map((name) => stories[name] ?? '').join('');
  const content = Buffer.from(text, 'utf16le');
  const stream = Buffer.alloc(Math.ceil((textStart + content.length) / 512) * 512 + 512);
  stream.writeUInt16LE(0xa5ec, 0);
  stream.writeUInt16LE(0xc1, 2);
  stream.writeUInt16LE(0x0200, 10);
  for (const [index, name] of storyOrder.entries())
    stream.writeUInt32LE(stories[name]?.length ?? 0, 0x4c + 4 * index);
  content.copy(stream, textStart);

  const pieces = Buffer.alloc(21);
  pieces.writeUInt8(2, 0);
  pieces.writeUInt32LE(16, 1);
  pieces.writeUInt32LE(text.length, 9);
  pieces.writeUInt32LE(textStart, 15);
  const runs = Buffer.alloc(12);
  stream.writeUInt32LE(0, 0x1a2);
  stream.writeUInt32LE(pieces.length, 0x1a6);
  if (deletion !== undefined) {
    const page = stream.length - 512;
    stream.writeUInt32LE(textStart + 2 * deletion.start, page);
    stream.writeUInt32LE(textStart + 2 * deletion.end, page + 4);
    stream.writeUInt8(100, page + 8);
    stream.write('03000801', page + 200, 'hex'); // sprmCFRMarkDel = 1
    stream.writeUInt8(1, page + 511);
    runs.writeUInt32LE(page / 512, 8);
    stream.writeUInt32LE(pieces.length, 0xfa);
    stream.writeUInt32LE(runs.length, 0xfe);
  }
  return [
    { name: 'WordDocument', content: stream },
    { name: '1Table', content: Buffer.concat([pieces, runs]) },
  ];
}

/** Returns the stream of a document of Word 6 or 95, or a whole file of Word 2. */
export function oldWordStream(text: Buffer, { magic = 0xa5dc, version = 104 } = {}): Buffer {
  const stream = Buffer.alloc(textStart);
  stream.writeUInt16LE(magic, 0);
  stream.writeUInt16LE(version, 2);
  stream.writeUInt32LE(textStart, 0x18);
  stream.writeUInt32LE(textStart + text.length, 0x1c);
  stream.writeUInt32LE(text.length, 0x34);
  return Buffer.concat([stream, text]);
}
