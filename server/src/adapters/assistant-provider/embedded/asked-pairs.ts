import type { ContactQuestion } from './conversation.ts';
import type { PairIndex, PairMatch } from './question-pairs.ts';
import type { YieldControl } from './time-slices.ts';

/**
 * The pairs that the contact asks for, each once: those of the messages that have one, in their order. Where no more than
 * one has, that of all as one text comes first: a question may go over several messages.
 */
export async function pairsAsked(
  pairs: PairIndex,
  asked: ContactQuestion,
  yieldControl: YieldControl,
): Promise<PairMatch[]> {
  const found = new Map<string, PairMatch>();
  for (const message of asked.messages) {
    const match = await pairs.findBest(message, yieldControl);
    if (match !== null && !found.has(match.question)) found.set(match.question, match);
  }
  const whole =
    asked.messages.length > 1 && found.size <= 1 ? await pairs.findBest(asked.text, yieldControl) : null;
  return whole === null ? [...found.values()] : [whole];
}
