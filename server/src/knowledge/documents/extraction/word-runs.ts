import { hex as symbolToUnicode } from 'dingbat-to-unicode';
import type { WordFile } from './word-file.ts';

/** Characters between two offsets of the stream that share a property. */
export interface WordRun {
  start: number;
  end: number;
  /** `heading` and `rowEnd` are properties of paragraphs. A `symbol` replaces the characters. */
  kind: 'deleted' | 'symbol' | 'heading' | 'rowEnd';
  symbol: string;
}

const pageBytes = 512;
/** Property modifiers of [MS-DOC] 2.6.1 and 2.6.2. */
const markDeleted = 0x0800;
const symbolCharacter = 0x6a09;
const tableTerminator = 0x2417;
const outlineLevel = 0x2640;
/** These styles are `heading 1` to `heading 9` in every document ([MS-DOC] 2.9.271). */
const lastHeadingStyle = 9;

/** Returns the runs in the order of their offsets. Word 6 and 95 write other modifiers, which are ignored. */
export function readWordRuns(file: WordFile): WordRun[] {
  if (!file.isUnicode) return [];
  const fonts = readFontNames(file.fonts);
  const characters = readPages(file.stream, file.characterRuns, 1, ({ start, end }, properties) =>
    characterRun(start, end, properties, fonts),
  );
  const paragraphs = readPages(file.stream, file.paragraphRuns, 13, ({ start, end }, properties) =>
    paragraphRun(start, end, properties),
  );
  return [...characters, ...paragraphs].sort((a, b) => a.start - b.start);
}

/** Reads the formatted disk pages ([MS-DOC] 2.9.33 ChpxFkp, 2.9.174 PapxFkp) that a table lists (2.8.5, 2.8.6). */
function readPages(
  stream: Buffer,
  table: Buffer,
  entryBytes: number,
  toRun: (range: { start: number; end: number }, properties: Buffer) => WordRun | null,
): WordRun[] {
  const runs: WordRun[] = [];
  const count = Math.floor((table.length - 4) / 8);
  for (let index = 0; index < count; index += 1) {
    const number = table.readUInt32LE(4 * (count + 1) + 4 * index) & 0x3fffff;
    const page = stream.subarray(number * pageBytes, (number + 1) * pageBytes);
    if (page.length < pageBytes) continue;
    const runCount = page.readUInt8(pageBytes - 1);
    for (let run = 0; run < runCount; run += 1) {
      const at = 4 * (runCount + 1) + entryBytes * run;
      if (at >= pageBytes) break;
      const properties = page.subarray(2 * page.readUInt8(at));
      const range = { start: page.readUInt32LE(4 * run), end: page.readUInt32LE(4 * (run + 1)) };
      const found = properties.length === pageBytes ? null : toRun(range, properties);
      if (found !== null) runs.push(found);
    }
  }
  return runs;
}

function characterRun(
  start: number,
  end: number,
  properties: Buffer,
  fonts: readonly string[],
): WordRun | null {
  const modifiers = properties.subarray(1, 1 + (properties[0] ?? 0));
  let found: WordRun | null = null;
  for (const { code, operand } of readModifiers(modifiers)) {
    if (code === markDeleted && operand[0] === 1) return { start, end, kind: 'deleted', symbol: '' };
    if (code !== symbolCharacter || operand.length < 4) continue;
    const symbol = readSymbol(fonts[operand.readUInt16LE(0)] ?? '', operand.readUInt16LE(2));
    found = { start, end, kind: 'symbol', symbol };
  }
  return found;
}

function paragraphRun(start: number, end: number, properties: Buffer): WordRun | null {
  const words = properties[0] ?? 0;
  const content =
    words === 0 ? properties.subarray(2, 2 + 2 * (properties[1] ?? 0)) : properties.subarray(1, 2 * words);
  if (content.length < 2) return null;
  const style = content.readUInt16LE(0);
  let isHeading = style >= 1 && style <= lastHeadingStyle;
  for (const { code, operand } of readModifiers(content.subarray(2))) {
    if (code === tableTerminator && operand[0] === 1) return { start, end, kind: 'rowEnd', symbol: '' };
    if (code === outlineLevel) isHeading = (operand[0] ?? lastHeadingStyle) < lastHeadingStyle;
  }
  return isHeading ? { start, end, kind: 'heading', symbol: '' } : null;
}

const operandBytes = [1, 1, 2, 4, 2, 2, null, 3];
const tableDefinition = 0xd608;

/** [MS-DOC] 2.2.5.1 (Sprm). */
function* readModifiers(list: Buffer): Generator<{ code: number; operand: Buffer }> {
  let at = 0;
  while (at + 3 <= list.length) {
    const code = list.readUInt16LE(at);
    let start = at + 2;
    let length = operandBytes[code >> 13] ?? null;
    if (length === null) {
      length = list.readUInt8(start);
      start += 1;
      if (code === tableDefinition) length = list.readUInt8(at + 2) + 256 * (list[at + 3] ?? 0);
    }
    yield { code, operand: list.subarray(start, start + length) };
    at = start + length;
  }
}

const fontNameOffset = 40;

/** [MS-DOC] 2.2.4 (STTB), 2.9.286 (SttbfFfn). */
function readFontNames(fonts: Buffer): string[] {
  const names: string[] = [];
  let at = 4;
  while (at + fontNameOffset < fonts.length) {
    const end = at + 1 + fonts.readUInt8(at);
    const name = fonts.toString('utf16le', at + fontNameOffset, end);
    names.push(name.split('\0')[0] ?? '');
    at = end;
  }
  return names;
}

/** Symbol fonts keep their characters in the private use area, too. */
function readSymbol(font: string, code: number): string {
  const symbol = symbolToUnicode(font, (code & 0xff).toString(16));
  if (symbol !== undefined) return symbol.string;
  return code >= 0xe000 && code <= 0xf8ff ? '' : String.fromCharCode(code);
}
