const readAtEachEnd = 2_048;
/** Removes the word at the cut, because half of it could match another word. */
const cutOffAtBeginning = /\S{1,60}$/u;
const cutOffAtEnd = /^\S{1,60}/u;

/** Keeps the beginning and the end of a long message, because the question is mostly in its first or last sentences. */
export function truncateMiddle(text: string): string {
  if (text.length <= 2 * readAtEachEnd) return text;
  const beginning = text.slice(0, readAtEachEnd).replace(cutOffAtBeginning, '');
  return `${beginning}\n${text.slice(-readAtEachEnd).replace(cutOffAtEnd, '')}`;
}

export function takeFirstAndLast<Item>(items: readonly Item[], ofEach: number): readonly Item[] {
  return items.length <= 2 * ofEach ? items : [...items.slice(0, ofEach), ...items.slice(-ofEach)];
}
