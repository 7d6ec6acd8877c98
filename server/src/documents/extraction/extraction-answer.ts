import { setImmediate as othersTurn } from 'node:timers/promises';
import { type DocumentText, ExtractionError } from './extraction.ts';
import { isPortion, parseEnd, parsePortion } from './extraction-messages.ts';

/** All portions of a text: more than a document within the upload limit has, unless it was made to. */
const maxTextBytes = 64 * 2 ** 20;
/** What a portion takes here beside its text: millions of empty ones would fill this process. */
const leastOfPortion = 1024;

/**
 * Every portion is checked when it comes, and kept as it came: parsed, a text takes several times the room. Waits for
 * ever when the process ends without an answer: its exit is what tells why.
 */
export async function receiveText(answers: AsyncIterator<Buffer, void>): Promise<DocumentText> {
  const portions: Buffer[] = [];
  let bytes = 0;
  try {
    for (let next = await answers.next(); next.value !== undefined; next = await answers.next()) {
      if (!isPortion(next.value)) return textOf(portions, next.value);
      bytes += Math.max(next.value.length, leastOfPortion);
      if (bytes > maxTextBytes) throw new ExtractionError('too_large', 'The text is too long');
      parsePortion(next.value);
      portions.push(next.value);
      await othersTurn();
    }
  } catch (cause) {
    if (cause instanceof ExtractionError) throw cause;
    if (cause instanceof RangeError)
      throw new ExtractionError('too_large', 'The text is too long', { cause });
    throw new ExtractionError('unreadable', 'The process gave no proper answer', { cause });
  }
  return new Promise(() => {});
}

function textOf(portions: readonly Buffer[], end: Buffer): DocumentText {
  const outcome = parseEnd(end);
  if ('failure' in outcome) throw new ExtractionError(outcome.failure, outcome.message);
  const sections = {
    *[Symbol.iterator]() {
      for (const portion of portions) yield* parsePortion(portion);
    },
  };
  return { sections, chars: outcome.chars };
}
