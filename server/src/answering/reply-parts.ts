/** What the network takes as one message, in code points. */
const longestMessage = 4096;
/** More paragraphs than this are joined into the last message. */
const mostMessages = 10;

/** The messages of an answer: its paragraphs when lines are broken, else all of it; cut only where a message is full. */
export function replyParts(text: string, breakLines: boolean): string[] {
  const paragraphs = breakLines ? text.split(/\n[^\S\n]*\n/) : [text];
  const kept = paragraphs.map((paragraph) => paragraph.trim()).filter((paragraph) => paragraph !== '');
  const joined =
    kept.length <= mostMessages
      ? kept
      : [...kept.slice(0, mostMessages - 1), kept.slice(mostMessages - 1).join('\n\n')];
  return joined.flatMap(cut);
}

/** At the last blank that fits, or in the middle of a word when there is none. */
function cut(text: string): string[] {
  const characters = [...text];
  if (characters.length <= longestMessage) return [text];
  const head = characters.slice(0, longestMessage).join('');
  const blank = Math.max(head.lastIndexOf('\n'), head.lastIndexOf(' '));
  const end = blank > 0 ? blank : head.length;
  return [head.slice(0, end), ...cut(text.slice(end).trim())];
}
