import { ExtractionError } from './extraction.ts';
import { readInstruction } from './field-instructions.ts';
import type { Piece, StoryName, WordFile } from './word-file.ts';
import { readWordRuns, type WordRun } from './word-runs.ts';

/** Both are private use characters, which are removed from the text of the document. */
export const headingMark = '\uf8ff';
const rowEnd = '\uf8fe';
const marks = /[\uf8fe\uf8ff]/g;

const western = new TextDecoder('windows-1252');

/** Returns a function that reads the characters of a story. Bytes of Word 6 and 95 become the characters U+0000 to U+00FF. */
export function createStoryReader(file: WordFile): (name: StoryName) => string {
  const runs = readWordRuns(file);
  let unread = file.stream.length;
  return (name) => {
    let text = '';
    for (const piece of file.stories.get(name) ?? []) {
      const end = Math.min(file.stream.length, piece.offset + piece.length * piece.bytesPerCharacter);
      unread -= Math.max(0, end - piece.offset);
      // Otherwise many pieces could repeat a long text.
      if (unread < 0) throw new ExtractionError('too_large', 'The pieces of the document overlap');
      text += readPiece(file, piece, end, runs);
    }
    return text;
  };
}

function readPiece(
  { stream, isUnicode }: WordFile,
  piece: Piece,
  end: number,
  runs: readonly WordRun[],
): string {
  const { bytesPerCharacter } = piece;
  const decode = (from: number, to: number): string => {
    const bytes = stream.subarray(from, to);
    if (bytesPerCharacter === 2) return bytes.toString('utf16le').replaceAll(marks, '');
    return isUnicode ? western.decode(bytes) : bytes.toString('latin1');
  };
  let text = '';
  let position = piece.offset;
  for (const run of runs) {
    if (run.end <= position || run.start >= end) continue;
    const start = Math.max(run.start, position);
    text += decode(position, start);
    position = start;
    if (run.kind === 'heading') {
      if (run.start === start) text += headingMark;
      continue;
    }
    position = Math.min(run.end, end);
    if (run.kind === 'rowEnd') text += rowEnd;
    if (run.kind === 'symbol') text += run.symbol.repeat((position - start) / bytesPerCharacter);
  }
  return text + decode(position, Math.max(position, end));
}

const [fieldBegin, fieldSeparator, fieldEnd] = ['\u0013', '\u0014', '\u0015'];
const cellEnd = '\u0007';
const paragraphEnd = '\n\n';
/** Other control characters of ASCII stand for pictures, notes and comments. */
const replacements: Readonly<Record<string, string>> = {
  '\t': '\t',
  '\n': '\n',
  '\r': paragraphEnd,
  '\f': paragraphEnd,
  '\u000e': paragraphEnd,
  [cellEnd]: '\t',
  '\u000b': '\n',
  '\u001e': '-',
};

/** Applies the special characters of [MS-DOC] 2.4.1 and 2.8.25: fields keep their results, paragraphs end with blank lines. */
export function toPlainText(story: string): string {
  const fields: { instruction: string; result: string | null }[] = [];
  let text = '';
  const add = (added: string): void => {
    const field = fields.at(-1);
    if (field === undefined) text += added;
    else if (field.result === null) field.instruction += added;
    else field.result += added;
  };
  const rows = story.replaceAll(cellEnd + cellEnd, paragraphEnd).replaceAll(rowEnd, paragraphEnd);
  for (const part of rows.split(/(\p{Cc})/u)) {
    const field = fields.at(-1);
    if (part === fieldBegin) fields.push({ instruction: '', result: null });
    else if (part === fieldSeparator && field !== undefined) field.result ??= '';
    else if (part === fieldEnd && field !== undefined) {
      fields.pop();
      add(field.result || readInstruction(field.instruction));
    } else add(replacements[part] ?? (part < ' ' ? '' : part));
  }
  // A field without an end is text after all.
  return text + fields.map(({ instruction, result }) => instruction + (result ?? '')).join('');
}
