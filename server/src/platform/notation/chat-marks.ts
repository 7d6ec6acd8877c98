import type { MarkStyle } from './notation.ts';

/** A part of a text that is marked. In UTF-16 code units. */
export interface ChatMark {
  style: MarkStyle | 'code' | 'codeBlock';
  offset: number;
  length: number;
}

const styles = { '*': 'bold', _: 'italic', '~': 'strike' } as const;
const marked =
  /```\n?([\s\S]+?)\n?```|`([^`\n]+)`|(?<![\p{L}\p{N}])([*_~])(?=\S)([^\n]*?\S)\3(?![\p{L}\p{N}])/gu;

/** Takes the marks of `chatNotation` out of a text, for networks that get them beside it. */
export function readChatMarks(given: string): { text: string; marks: ChatMark[] } {
  let text = '';
  let read = 0;
  const marks: ChatMark[] = [];
  for (const match of given.matchAll(marked)) {
    const [whole, block, code, mark, inner = ''] = match;
    text += given.slice(read, match.index);
    read = match.index + whole.length;
    const offset = text.length;
    const verbatim = block ?? code;
    const nested = verbatim === undefined ? readChatMarks(inner) : { text: verbatim, marks: [] };
    // The expression knows no other marks.
    const style = block !== undefined ? 'codeBlock' : (styles[mark as keyof typeof styles] ?? 'code');
    marks.push({ style, offset, length: nested.text.length });
    marks.push(...nested.marks.map((each) => ({ ...each, offset: offset + each.offset })));
    text += nested.text;
  }
  return { text: text + given.slice(read), marks };
}
