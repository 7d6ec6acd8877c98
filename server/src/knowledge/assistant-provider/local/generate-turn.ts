import { ProviderError } from '../../../ports/provider-error.ts';
import type { Grounding } from '../../search/grounding.ts';
import type { Knowledge } from '../../search/knowledge.ts';
import type { YieldControl } from '../../search/time-slices.ts';
import type { AssistantStep, AssistantTurn } from '../assistant-provider.ts';
import { answerFromPairs, answerTurn, declineTurn } from '../embedded/answer-turn.ts';
import { readContactQuestion } from '../embedded/conversation.ts';
import { type Generation, generateStep } from '../generating/generate.ts';
import type { SearchableRevision } from './revision-cache.ts';

interface Context {
  knowledge: Knowledge;
  generation: Generation;
  yieldControl: YieldControl;
}

/**
 * Answers with the model. A question that is exactly that of a pair gets the pair's answer without a call. If the model
 * fails, the embedded composer answers, unless the operator turned that off.
 */
export async function generateTurn(
  { knowledge, generation, yieldControl }: Context,
  revision: SearchableRevision,
  turn: AssistantTurn,
  signal: AbortSignal,
): Promise<AssistantStep> {
  const grounding = await ground(knowledge, revision, turn, yieldControl);
  const isFirstStep = turn.messages.at(-1)?.role === 'contact';
  if (isFirstStep && grounding.pairs[0]?.score === 1) return answerFromPairs(grounding.pairs.slice(0, 1));
  try {
    const step = await generateStep(generation, revision, turn, grounding, signal);
    if (step.kind === 'tool_calls' && turn.mustAnswer === true && generation.fallsBack)
      throw new ProviderError('transient', 'The model calls actions instead of answering', step);
    const { embeddingFailure } = grounding;
    return embeddingFailure === null ? step : { ...step, embeddingFailure };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ProviderError) || error.kind === 'not_found') throw error;
    const { kind, message, usage } = error;
    const fallback = { kind, message };
    if (kind === 'refused') return { ...(await declineTurn(knowledge, revision, turn)), usage, fallback };
    if (!generation.fallsBack) throw error;
    return { ...(await answerTurn(knowledge, revision, turn, yieldControl)), usage, fallback };
  }
}

/** Searches for the contact's last messages, which stay the same in all steps of an answer. */
async function ground(
  knowledge: Knowledge,
  revision: SearchableRevision,
  turn: AssistantTurn,
  yieldControl: YieldControl,
): Promise<Grounding> {
  const asked = readContactQuestion(turn.messages);
  if (asked === null) return { pairs: [], passages: [], isWhole: false, embeddingFailure: null };
  const found = await knowledge.ground(revision, asked.text, yieldControl);
  const { withPrevious } = asked;
  if (withPrevious === null || found.pairs[0]?.score === 1) return found;
  return knowledge.ground(revision, withPrevious, yieldControl);
}
