const READ_AT_EACH_END = 2_048;
/** Removes the word at the cut, because half of it could match another word. */
const CUT_OFF_AT_BEGINNING = /\S{1,60}$/u;
const CUT_OFF_AT_END = /^\S{1,60}/u;

/** Keeps the beginning and the end of a long message, because the question is mostly in its first or last sentences. */
export function truncateMiddle(text: string): string {
  if (text.length <= 2 * READ_AT_EACH_END) return text;
  const beginning = text.slice(0, READ_AT_EACH_END).replace(CUT_OFF_AT_BEGINNING, '');
  return `${beginning}\n${text.slice(-READ_AT_EACH_END).replace(CUT_OFF_AT_END, '')}`;
}

export function takeFirstAndLast<Item>(items: readonly Item[], ofEach: number): readonly Item[] {
  return items.length <= 2 * ofEach ? items : [...items.slice(0, ofEach), ...items.slice(-ofEach)];
}
