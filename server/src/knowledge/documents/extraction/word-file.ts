import { type CompoundFile, isWord2, openCompoundFile } from '../compound-file.ts';
import { ExtractionError } from './extraction.ts';

/** The texts of a Word document, in the order of their characters. */
const storyNames = [
  'body',
  'footnotes',
  'margins',
  'macros',
  'comments',
  'endnotes',
  'textBoxes',
  'marginTextBoxes',
] as const;
export type StoryName = (typeof storyNames)[number];

/** Characters that are contiguous in the stream. */
export interface Piece {
  offset: number;
  length: number;
  bytesPerCharacter: 1 | 2;
}

export interface WordFile {
  /** Offsets of pieces and properties refer to this stream. */
  stream: Buffer;
  stories: ReadonlyMap<StoryName, readonly Piece[]>;
  /** Each is empty if the file lacks it. */
  characterRuns: Buffer;
  paragraphRuns: Buffer;
  fonts: Buffer;
  /** Word 97 and later: single bytes are windows-1252. In earlier ones, they depend on the language. */
  isUnicode: boolean;
}

/** Offsets in the File Information Block. Sources: [MS-DOC] 2.5; for Word 6 and 95, "Word 6.0 Binary File Format". */
const word97 = { counts: 0x4c, characterRuns: 0xfa, paragraphRuns: 0x102, fonts: 0x112, pieces: 0x1a2 };
const word6 = { counts: 0x34, characterRuns: 0xb8, paragraphRuns: 0xc0, fonts: 0xd0, pieces: 0x160 };
const mainStream = 'WordDocument';
const minBytes = 0x20;
const firstVersionOfWord97 = 106;
const hasPieces = 0x0004;
const encryptedFlag = 0x0100;
const usesTable1 = 0x0200;
/** Objects lie in a storage of a storage, and may have objects of their own. */
const deepestObject = 6;
const mostObjects = 50;

/**
 * Returns the document, then the Word documents that are embedded in it. Throws `encrypted` if the document needs a password, and
 * `unreadable` for other files.
 */
export function openWordFiles(bytes: Uint8Array): WordFile[] {
  const container = openCompoundFile(bytes);
  const document = openWordFile(container, isWord2(bytes) ? Buffer.from(bytes) : null);
  return [document, ...openObjects(container?.listStorages() ?? [])];
}

function openObjects(storages: readonly CompoundFile[], depth = 1): WordFile[] {
  if (depth > deepestObject) return [];
  const objects = storages.flatMap((storage) => [
    ...(storage.has(mainStream) ? openIntact(storage) : []),
    ...openObjects(storage.listStorages(), depth + 1),
  ]);
  return objects.slice(0, mostObjects);
}

function openIntact(storage: CompoundFile): WordFile[] {
  try {
    return [openWordFile(storage, null)];
  } catch (error) {
    if (error instanceof ExtractionError) return [];
    throw error;
  }
}

function openWordFile(container: CompoundFile | null, wholeFile: Buffer | null): WordFile {
  const stream = container?.readStream(mainStream) ?? wholeFile;
  if (stream === null || stream.length < minBytes)
    throw new ExtractionError('unreadable', 'The file is not a Word document');
  const flags = stream.readUInt16LE(10);
  if ((flags & encryptedFlag) !== 0) throw new ExtractionError('encrypted', 'The Word document is encrypted');

  const isUnicode = stream.readUInt16LE(2) >= firstVersionOfWord97;
  const layout = isUnicode ? word97 : word6;
  const tableNames = (flags & usesTable1) === 0 ? ['0Table', '1Table'] : ['1Table', '0Table'];
  const readTables = () =>
    tableNames.map((name) => container?.readStream(name)).find((found) => found != null);
  const tables = (isUnicode ? readTables() : stream) ?? Buffer.alloc(0);
  const readTable = (at: number): Buffer => {
    const start = readNumber(stream, at);
    return tables.subarray(start, start + readNumber(stream, at + 4));
  };
  const counts = storyNames.map((_, index) => readNumber(stream, layout.counts + 4 * index));
  const pieces =
    isUnicode || (flags & hasPieces) !== 0 ? readPieces(readTable(layout.pieces), isUnicode) : [];
  if (pieces.length === 0 && isUnicode) throw new ExtractionError('unreadable', 'The document has no text');
  const text = pieces.length > 0 ? pieces : [contiguousText(stream)];
  return {
    stream,
    stories: splitIntoStories(text, isWord2(stream) ? [Number.MAX_SAFE_INTEGER] : counts),
    characterRuns: readTable(layout.characterRuns),
    paragraphRuns: readTable(layout.paragraphRuns),
    fonts: readTable(layout.fonts),
    isUnicode,
  };
}

const readNumber = (bytes: Buffer, at: number): number =>
  at + 4 <= bytes.length ? bytes.readUInt32LE(at) : 0;

const pieceTableMark = 2;
const pieceBytes = 8;
/** In the offset of a piece: its characters are single bytes, and the offset is doubled. */
const singleByteFlag = 0x40000000;

/** [MS-DOC] 2.9.38 (Clx), 2.8.35 (PlcPcd). */
function readPieces(complex: Buffer, isUnicode: boolean): Piece[] {
  let at = 0;
  while (complex[at] === 1 && at + 3 <= complex.length) at += 3 + complex.readUInt16LE(at + 1);
  if (complex[at] !== pieceTableMark) return [];
  const table = complex.subarray(at + 5, at + 5 + readNumber(complex, at + 1));
  const count = Math.floor((table.length - 4) / (4 + pieceBytes));
  const pieces: Piece[] = [];
  for (let index = 0; index < count; index += 1) {
    const length = table.readUInt32LE(4 * (index + 1)) - table.readUInt32LE(4 * index);
    const position = table.readUInt32LE(4 * (count + 1) + pieceBytes * index + 2);
    const isSingle = !isUnicode || (position & singleByteFlag) !== 0;
    const offset = isUnicode && isSingle ? (position & ~singleByteFlag) / 2 : position;
    if (length > 0) pieces.push({ offset, length, bytesPerCharacter: isSingle ? 1 : 2 });
  }
  return pieces;
}

/** Word 6 and 95 write a piece table only when they save changes. Otherwise the header locates the text. */
function contiguousText(stream: Buffer): Piece {
  const offset = stream.readUInt32LE(0x18);
  return { offset, length: Math.max(0, stream.readUInt32LE(0x1c) - offset), bytesPerCharacter: 1 };
}

/** Pieces beyond the declared counts belong to no story. */
function splitIntoStories(pieces: readonly Piece[], counts: readonly number[]): Map<StoryName, Piece[]> {
  const rest = pieces.toReversed();
  const stories = new Map<StoryName, Piece[]>();
  for (const [index, name] of storyNames.entries()) {
    const story: Piece[] = [];
    let missing = counts[index] ?? 0;
    while (missing > 0) {
      const piece = rest.pop();
      if (piece === undefined) break;
      const length = Math.min(piece.length, missing);
      story.push({ ...piece, length });
      missing -= length;
      if (length === piece.length) continue;
      const offset = piece.offset + length * piece.bytesPerCharacter;
      rest.push({ ...piece, offset, length: piece.length - length });
    }
    stories.set(name, story);
  }
  return stories;
}
