import { takeStart } from '../../../platform/shared/cut-text.ts';
import type { PromptMessage } from './model-messages.ts';
import { createEndTools, createSystemPrompt, limitHistory } from './model-prompt.ts';
import type { GroundedTurn } from './model-step.ts';

/** Room for what the estimate by characters misses. */
const safety = 1.25;
const longestResult = 1000;

/**
 * Makes the prompt of a turn shorter by this factor: drops the oldest history first, then the knowledge of the lowest rank, and last
 * shortens the results of calls. Returns null if nothing can be dropped. The prompt can still be too long.
 */
export function shortenTurn(turn: GroundedTurn, factor: number): GroundedTurn | null {
  const limited = { ...turn, messages: limitHistory(turn.messages) };
  const target = countCharacters(limited) / (factor * safety);
  let shorter: GroundedTurn = limited;
  for (const shorten of [withoutOldestExchange, withoutLastItem, withShorterResults]) {
    while (countCharacters(shorter) > target) {
      const next = shorten(shorter);
      if (next === null) break;
      shorter = next;
    }
  }
  return shorter === limited ? null : shorter;
}

/** Never separates calls from their results, and keeps the messages that this answer is for. */
function withoutOldestExchange(turn: GroundedTurn): GroundedTurn | null {
  const { messages } = turn;
  const next = messages.findIndex(
    ({ role }, index) => index > 0 && role === 'user' && messages[index - 1]?.role !== 'user',
  );
  return next === -1 ? null : { ...turn, messages: messages.slice(next) };
}

const withoutLastItem = (turn: GroundedTurn): GroundedTurn | null =>
  turn.knowledge.length === 0 ? null : { ...turn, knowledge: turn.knowledge.slice(0, -1), knowsAll: false };

function withShorterResults(turn: GroundedTurn): GroundedTurn | null {
  let isShorter = false;
  const messages = turn.messages.map((message): PromptMessage => {
    if (message.role !== 'tool') return message;
    const results = message.results.map((each) => {
      if (each.result.length <= longestResult) return each;
      isShorter = true;
      return { ...each, result: `${takeStart(each.result, longestResult - 1)}…` };
    });
    return { ...message, results };
  });
  return isShorter ? { ...turn, messages } : null;
}

const countCharacters = ({ spec, context, knowledge, messages }: GroundedTurn): number =>
  createSystemPrompt(spec, context).length +
  JSON.stringify([spec.tools, createEndTools(context), knowledge, messages.map(withoutImages)]).length;

const withoutImages = (message: PromptMessage): object =>
  message.role === 'user' ? { ...message, images: [] } : message;
