/** The network's limit in code points. */
const longestMessage = 4096;
const mostMessages = 10;

/** Splits an answer by paragraphs with `breakLines`, and where a message exceeds the limit. */
export function replyParts(text: string, breakLines: boolean): string[] {
  const paragraphs = breakLines ? text.split(/\n[^\S\n]*\n/) : [text];
  const kept = paragraphs.map((paragraph) => paragraph.trim()).filter((paragraph) => paragraph !== '');
  const joined =
    kept.length <= mostMessages
      ? kept
      : [...kept.slice(0, mostMessages - 1), kept.slice(mostMessages - 1).join('\n\n')];
  return joined.flatMap(cut);
}

/** Cuts at the last blank that fits, or within a word if there is none. */
function cut(text: string): string[] {
  const characters = [...text];
  if (characters.length <= longestMessage) return [text];
  const head = characters.slice(0, longestMessage).join('');
  const blank = Math.max(head.lastIndexOf('\n'), head.lastIndexOf(' '));
  const end = blank > 0 ? blank : head.length;
  return [head.slice(0, end), ...cut(text.slice(end).trim())];
}
