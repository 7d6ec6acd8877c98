/** Characters that are read of a long text, at its beginning and at its end each. */
const READ_AT_EACH_END = 2_048;
/** A word that the cut goes through would be taken for another one; where there are no spaces, some letters are lost. */
const CUT_OFF_AT_BEGINNING = /\S{1,60}$/u;
const CUT_OFF_AT_END = /^\S{1,60}/u;

/**
 * What is read of a text that a contact has written: all of it, or its beginning and its end. Who writes or pastes a long
 * text asks in its first or in its last sentences.
 */
export function truncateMiddle(text: string): string {
  if (text.length <= 2 * READ_AT_EACH_END) return text;
  const beginning = text.slice(0, READ_AT_EACH_END).replace(CUT_OFF_AT_BEGINNING, '');
  return `${beginning}\n${text.slice(-READ_AT_EACH_END).replace(CUT_OFF_AT_END, '')}`;
}

/** The first and the last of many, so many of each. */
export function takeFirstAndLast<Item>(items: readonly Item[], ofEach: number): readonly Item[] {
  return items.length <= 2 * ofEach ? items : [...items.slice(0, ofEach), ...items.slice(-ofEach)];
}
