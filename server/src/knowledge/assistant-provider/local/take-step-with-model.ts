import { ProviderError } from '../../../ports/provider-error.ts';
import type { Grounding } from '../../search/grounding.ts';
import type { Knowledge } from '../../search/knowledge.ts';
import type { YieldControl } from '../../search/time-slices.ts';
import type { AssistantStep, AssistantTurn } from '../assistant-provider.ts';
import { answerFromPairs, answerTurn, declineTurn } from '../embedded/answer-turn.ts';
import { readContactQuestion } from '../embedded/conversation.ts';
import { type Generation, generateQuery, generateStep } from '../generating/generate.ts';
import type { SearchableRevision } from './revision-cache.ts';

interface Context {
  knowledge: Knowledge;
  generation: Generation;
  yieldControl: YieldControl;
}

/**
 * Takes a step with the model. A question that is exactly that of a pair gets the pair's answer without a call. If the model
 * fails, the embedded composer takes the step, unless the operator turned that off.
 */
export async function takeStepWithModel(
  { knowledge, generation, yieldControl }: Context,
  revision: SearchableRevision,
  turn: AssistantTurn,
  signal: AbortSignal,
): Promise<AssistantStep> {
  const found = await ground(knowledge, revision, turn, yieldControl);
  const isFirstStep = turn.messages.at(-1)?.role === 'contact';
  if (isFirstStep && found.pairs[0]?.score === 1) return answerFromPairs(found.pairs.slice(0, 1));
  const written = await writeQuery(generation, revision, turn, found, signal);
  const grounding =
    written.query === null ? found : await knowledge.ground(revision, written.query, yieldControl);
  try {
    const step = await generateStep(generation, revision, turn, grounding, signal);
    if (step.kind === 'tool_calls' && turn.mustAnswer === true && generation.fallsBack)
      throw new ProviderError('transient', 'The model calls actions instead of answering', step);
    const { embeddingFailure } = grounding;
    return {
      ...step,
      usage: [...written.usage, ...step.usage],
      state: withQuery(step.state, written.query),
      ...(embeddingFailure === null ? {} : { embeddingFailure }),
    };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ProviderError) || error.kind === 'not_found') throw error;
    const { kind, message } = error;
    const usage = [...written.usage, ...error.usage];
    const fallback = { kind, message };
    if (kind === 'refused') return { ...(await declineTurn(knowledge, revision, turn)), usage, fallback };
    if (!generation.fallsBack) throw error;
    return { ...(await answerTurn(knowledge, revision, turn, yieldControl)), usage, fallback };
  }
}

/** If the words of the contact find little, the model writes a query, once for all steps of an answer. */
async function writeQuery(
  generation: Generation,
  revision: SearchableRevision,
  turn: AssistantTurn,
  { isWeak }: Grounding,
  signal: AbortSignal,
): ReturnType<typeof generateQuery> {
  // The provider of the model searches by itself then.
  const searches = isWeak && generation.searchesFiles !== true;
  if (turn.state !== null || !searches) return { query: readQuery(turn.state), usage: [] };
  return generateQuery(generation, revision, turn, signal);
}

// `withQuery` added it in an earlier step.
const readQuery = (state: unknown): string | null => (state as { query?: string } | null)?.query ?? null;

const withQuery = (state: unknown, query: string | null): unknown =>
  state === null || query === null ? state : { ...state, query };

/** Searches for the contact's last messages, which stay the same in all steps of an answer. */
async function ground(
  knowledge: Knowledge,
  revision: SearchableRevision,
  turn: AssistantTurn,
  yieldControl: YieldControl,
): Promise<Grounding> {
  const asked = readContactQuestion(turn.messages);
  if (asked === null)
    return { pairs: [], passages: [], isWhole: false, isWeak: false, embeddingFailure: null };
  const found = await knowledge.ground(revision, asked.text, yieldControl);
  const { withPrevious } = asked;
  if (withPrevious === null || found.pairs[0]?.score === 1) return found;
  return knowledge.ground(revision, withPrevious, yieldControl);
}
