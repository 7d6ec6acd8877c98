import { takeEnd, takeStart } from '../../platform/shared/cut-text.ts';

const readAtEachEnd = 1_024;
/** Removes the word at the cut, because half of it could match another word. */
const cutOffAtBeginning = /\S{1,60}$/u;
const cutOffAtEnd = /^\S{1,60}/u;

/** Keeps the beginning and the end of a long message, because the question is mostly in its first or last sentences. */
export function truncateMiddle(text: string): string {
  if (text.length <= 2 * readAtEachEnd) return text;
  const beginning = takeStart(text, readAtEachEnd).replace(cutOffAtBeginning, '');
  return `${beginning}\n${takeEnd(text, readAtEachEnd).replace(cutOffAtEnd, '')}`;
}
