import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type DocumentText, ExtractionError } from './extraction.ts';
import { isPortion, parseEnd, parsePortion } from './extraction-messages.ts';

const maxTextBytes = 64 * 2 ** 20;
/** Millions of empty portions would otherwise fill this process. */
const minPortionBytes = 1024;

/** Checks and stores portions unparsed, because they take less memory. Never resolves if the process dies. */
export async function receiveText(messages: AsyncIterator<Buffer, void>): Promise<DocumentText> {
  const portions: Buffer[] = [];
  let bytes = 0;
  try {
    for (let next = await messages.next(); next.value !== undefined; next = await messages.next()) {
      if (!isPortion(next.value)) return toDocumentText(portions, next.value);
      bytes += Math.max(next.value.length, minPortionBytes);
      if (bytes > maxTextBytes) throw new ExtractionError('too_large', 'The text is too long');
      parsePortion(next.value);
      portions.push(next.value);
      await yieldToEventLoop();
    }
  } catch (cause) {
    if (cause instanceof ExtractionError) throw cause;
    if (cause instanceof RangeError)
      throw new ExtractionError('too_large', 'The text is too long', { cause });
    throw new ExtractionError('unreadable', 'The extraction process sent an invalid message', { cause });
  }
  return new Promise(() => {});
}

function toDocumentText(portions: readonly Buffer[], end: Buffer): DocumentText {
  const outcome = parseEnd(end);
  if ('failure' in outcome) throw new ExtractionError(outcome.failure, outcome.message);
  const sections = {
    *[Symbol.iterator]() {
      for (const portion of portions) yield* parsePortion(portion);
    },
  };
  return { sections, chars: outcome.chars };
}
