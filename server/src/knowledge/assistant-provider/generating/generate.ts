import type { Notation } from '../../../platform/notation/notation.ts';
import type { GuardedModel } from '../../../ports/language-model/guarded-model.ts';
import type {
  FoundPassage,
  ModelRequest,
  ModelResponse,
  ModelTool,
} from '../../../ports/language-model/language-model.ts';
import { ProviderError, type StepUsage } from '../../../ports/provider-error.ts';
import type { Grounding } from '../../search/grounding.ts';
import type {
  AnswerSource,
  AssistantSpec,
  AssistantStep,
  AssistantTurn,
  ModelCheck,
  RewriteTurn,
  Rewriting,
} from '../assistant-provider.ts';
import { type AnswerState, readState, toPromptMessages } from './model-messages.ts';
import {
  createActionTool,
  createEndTools,
  createRewriteRequest,
  type FormatLocalTime,
  type KnowledgeItem,
  replyTool,
} from './model-prompt.ts';
import {
  createStepRequest,
  type GeneratedStep,
  type GroundedTurn,
  listTools,
  readAnswer,
  readStep,
} from './model-step.ts';
import { type ModelTextContext, readModelText } from './model-text.ts';
import { shortenTurn } from './shorten-turn.ts';
import { confirmAnswer, writeSearchQuery } from './small-model-calls.ts';

/** The language models of the operator. */
export interface Generation {
  model: GuardedModel;
  /** The ids of the models of levels 1, 2 and 3. */
  levels: readonly [string, string, string];
  vision: boolean;
  /** Whether the embedded composer answers if the model fails. */
  fallsBack: boolean;
  formatLocalTime: FormatLocalTime;
  /** The ids of models that refused tools. Bots without actions answer with them in plain text. */
  modelsWithoutTools: Set<string>;
  /** How the messaging network marks up text. */
  notation: Notation;
  /** Whether the provider of the model holds the documents and searches them. */
  searchesFiles?: boolean;
}

export interface Assistant {
  spec: AssistantSpec;
  teamId: string;
}

const maxCallsWithoutText = 2;
/** Characters. */
const longestQuote = 300;
const checkMs = 5000;

export const selectModel = (
  { levels }: Pick<Generation, 'levels'>,
  level: AssistantSpec['modelLevel'],
): string => levels[level - 1] ?? levels[0];

/** Runs one step of the model. Repeats it once if the model writes nothing. Rejects with `ProviderError`. */
export async function generateStep(
  generation: Generation,
  { spec, teamId }: Assistant,
  turn: AssistantTurn,
  grounding: Grounding,
  signal: AbortSignal,
): Promise<AssistantStep> {
  const { model, vision } = generation;
  const modelId = selectModel(generation, spec.modelLevel);
  const writer = `${model.name}/${modelId}`;
  const state = readState(turn.state, writer);
  const { knowledge, sources } = toKnowledge(grounding);
  const messages = toPromptMessages(turn.messages, { state, vision });
  const grounded = {
    spec,
    context: turn.context,
    knowledge,
    knowsAll: grounding.isWhole,
    messages,
    state: state?.model ?? null,
    fileSearch: selectFiles(generation, spec, turn),
    mustAnswer: turn.mustAnswer ?? false,
  };
  const call = { teamId, deadline: turn.context.deadline, signal };
  const usage: StepUsage[] = [];
  try {
    for (let modelCalls = 1; ; modelCalls += 1) {
      const written = await callModel(generation, modelId, grounded, call);
      usage.push({ provider: model.name, model: modelId, tokens: written.usage });
      for (const found of written.passages ?? []) addFoundPassage(sources, found);
      const text = {
        tools: new Set(listTools(grounded).map(({ name }) => name)),
        knowledgeIds: new Set(sources.keys()),
        botName: spec.identificationName,
        notation: generation.notation,
        quotable: listQuotable(grounding, turn),
      };
      const read = readUnlessEmpty(written, text);
      if (read !== null) {
        const confirmed = await withConfirmation(read, usage, (reply) =>
          confirmAnswer({ ...call, model, modelId, temperature: spec.temperature }, messages, reply),
        );
        return toAssistantStep(
          withCitations(confirmed, written),
          { usage, state: nextState(writer, state, written, read) },
          sources,
        );
      }
      if (modelCalls === maxCallsWithoutText)
        throw new ProviderError('transient', 'The model returned no text');
    }
  } catch (error) {
    throw withUsage(error, usage);
  }
}

/** Lets the model write the query of a search. `query` is null if it fails. */
export function generateQuery(
  generation: Generation,
  { spec, teamId }: Assistant,
  turn: AssistantTurn,
  signal: AbortSignal,
): ReturnType<typeof writeSearchQuery> {
  const { model } = generation;
  const { temperature, modelLevel } = spec;
  const { deadline } = turn.context;
  const modelId = selectModel(generation, modelLevel);
  const messages = toPromptMessages(turn.messages, { state: null, vision: false });
  return writeSearchQuery({ model, modelId, temperature, teamId, deadline, signal }, messages);
}

/** Tries once with a shorter prompt if the model's context is too small for it, and without tools if it accepts none. */
async function callModel(
  { model, formatLocalTime, modelsWithoutTools }: Generation,
  modelId: string,
  turn: GroundedTurn,
  options: Parameters<GuardedModel['generate']>[1],
): Promise<ModelResponse> {
  const needsTools = turn.spec.tools.length > 0 || turn.fileSearch !== undefined;
  const generateOnce = (given: GroundedTurn) => {
    const inPlainText = !needsTools && modelsWithoutTools.has(modelId);
    return model.generate(createStepRequest(modelId, { ...given, inPlainText }, formatLocalTime), options);
  };
  const generate = (given: GroundedTurn) =>
    generateOnce(given).catch((error: unknown) => {
      if (!(error instanceof ProviderError && error.refusesTools) || needsTools) throw error;
      modelsWithoutTools.add(modelId);
      return generateOnce(given);
    });
  try {
    return await generate(turn);
  } catch (error) {
    const tooLongBy = error instanceof ProviderError ? error.tooLongBy : null;
    const shorter = tooLongBy === null ? null : shortenTurn(turn, tooLongBy);
    if (shorter === null) throw error;
    return generate(shorter);
  }
}

/** Returns a new error, because an open breaker rejects all calls with the same one. */
function withUsage(error: unknown, usage: readonly StepUsage[]): unknown {
  if (!(error instanceof ProviderError) || usage.length === 0) return error;
  const { kind, message, retryAfter } = error;
  return new ProviderError(kind, message, {
    ...(retryAfter === null ? {} : { retryAfter }),
    usage,
    cause: error,
  });
}

/** Rewrites the operator's text in the words of the assistant. Rejects with `ProviderError`. */
export async function generateRewriting(
  generation: Generation,
  { spec, teamId }: Assistant,
  turn: RewriteTurn,
  signal: AbortSignal,
): Promise<Rewriting> {
  const { model } = generation;
  const modelId = selectModel(generation, spec.modelLevel);
  const messages = toPromptMessages(turn.messages, { state: null, vision: false });
  const request = createRewriteRequest(modelId, spec, messages, turn);
  const { text, usage, finishReason } = await model.generate(request, {
    teamId,
    deadline: turn.context.deadline,
    signal,
  });
  if (finishReason === 'refused') throw new ProviderError('refused', 'The model refused to rewrite the text');
  // A shortened text would lack facts of the operator's.
  if (finishReason === 'length') throw new ProviderError('transient', 'The model did not finish the text');
  const readText = (written: string) =>
    readModelText(written, {
      tools: new Set([replyTool]),
      knowledgeIds: new Set(),
      botName: spec.identificationName,
      notation: generation.notation,
      quotable: [turn.text],
      isCut: false,
    });
  const own = readText(text);
  const rewritten = readAnswer(own, own.calls[0] ?? null, readText).text;
  if (rewritten === '') throw new ProviderError('transient', 'The model returned no text');
  return { text: rewritten, usage: [{ provider: model.name, model: modelId, tokens: usage }] };
}

/** Of a check without a bot. */
const usualTemperature = 0.7;

/** Sends a model what a bot would send. Rejects with `ProviderError`. */
export async function checkModel(
  { model, levels, modelsWithoutTools }: Generation,
  { modelLevel, temperature = usualTemperature, tools = [] }: ModelCheck,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const modelId = selectModel({ levels }, modelLevel);
  const generate = (offered: readonly ModelTool[]) =>
    model.generate(
      {
        model: modelId,
        system: 'Reply with the word OK.',
        temperature,
        state: null,
        messages: [{ role: 'user', text: 'Are you there?' }],
        tools: offered,
      },
      { teamId: '', deadline: performance.now() + checkMs, signal },
    );
  try {
    await generate([...tools.map(createActionTool), ...createEndTools({ allowHuman: false })]);
    modelsWithoutTools.delete(modelId);
  } catch (error) {
    if (!(error instanceof ProviderError && error.refusesTools)) throw error;
    if (tools.length > 0) throw new ProviderError('invalid_config', error.message, { cause: error });
    modelsWithoutTools.add(modelId);
    await generate([]);
  }
  const withoutTools = modelsWithoutTools.has(modelId) ? ['sends no tools, so bots cannot call actions'] : [];
  return [...withoutTools, ...model.describeAdaptations(modelId)];
}

/** The model may quote these texts, which have marks of the network. */
const listQuotable = ({ pairs, passages }: Grounding, { messages }: AssistantTurn): string[] => [
  ...pairs.map(({ answer }) => answer),
  ...passages.map(({ text }) => text),
  ...messages.flatMap((message) =>
    message.role === 'tool_results' ? message.results.map(({ result }) => result) : [],
  ),
];

/** Returns null if the model wrote nothing for the contact. */
function readUnlessEmpty(
  written: ModelResponse,
  context: Omit<ModelTextContext, 'isCut'>,
): GeneratedStep | null {
  const isCut = written.finishReason === 'length';
  try {
    return readStep(written, context.knowledgeIds, (text) => readModelText(text, { ...context, isCut }));
  } catch (error) {
    if (error instanceof ProviderError && error.kind === 'transient') return null;
    throw error;
  }
}

type ReadStep = Exclude<GeneratedStep, { kind: 'answer' }> | ConfirmedAnswer;
type ConfirmedAnswer = Extract<GeneratedStep, { kind: 'answer' }> & { answered: boolean };

/** A text alone does not say whether it answers, so the model is asked once. Adds that call to `usage`. */
async function withConfirmation(
  read: GeneratedStep,
  usage: StepUsage[],
  confirm: (reply: string) => ReturnType<typeof confirmAnswer>,
): Promise<ReadStep> {
  if (read.kind === 'tool_calls') return read;
  const { answered } = read;
  if (answered !== null) return { ...read, answered };
  const confirmed = await confirm(read.text);
  usage.push(...confirmed.usage);
  return { ...read, answered: confirmed.answered };
}

/** Models that search files cite them in the text, some without naming them in a tool's arguments. */
const withCitations = (read: ReadStep, { cited = [] }: ModelResponse): ReadStep =>
  read.kind === 'answer' ? { ...read, sources: [...new Set([...read.sources, ...cited])] } : read;

function nextState(
  writer: string,
  earlier: AnswerState | null,
  written: ModelResponse,
  read: GeneratedStep,
): AnswerState | null {
  if (read.kind === 'answer') return null;
  // The provider knows nothing of a call in the text. It gets the message without its state.
  if (read.asText) {
    const model = [...written.state.slice(0, -1), null];
    return { writer, model, postponed: [...(earlier?.postponed ?? []), []] };
  }
  const made = new Set(read.calls);
  const postponed = written.toolCalls.filter((call) => !made.has(call));
  return { writer, model: written.state, postponed: [...(earlier?.postponed ?? []), postponed] };
}

function toAssistantStep(
  read: ReadStep,
  { usage, state }: { usage: readonly StepUsage[]; state: AnswerState | null },
  sources: ReadonlyMap<string, AnswerSource>,
): AssistantStep {
  const origin = { usage, state, fallback: null };
  if (read.kind === 'tool_calls') {
    const { kind, text, calls } = read;
    return { kind, text, calls, ...origin };
  }
  return { ...read, sources: read.sources.flatMap((id) => sources.get(id) ?? []), ...origin };
}

const selectFiles = (
  { searchesFiles = false }: Generation,
  { knowledge }: AssistantSpec,
  { withdrawnDocumentRefs }: AssistantTurn,
): ModelRequest['fileSearch'] =>
  searchesFiles
    ? {
        storeRef: knowledge.storeRef,
        documentRefs: knowledge.documentRefs.filter((ref) => !withdrawnDocumentRefs.includes(ref)),
      }
    : undefined;

/** The model knows a file by its name. Keeps the best passage of each file. */
function addFoundPassage(
  sources: Map<string, AnswerSource>,
  { file, documentRef, text, score }: FoundPassage,
): void {
  const known = sources.get(file);
  if (known !== undefined && known.score >= score) return;
  const quote = shorten(text);
  sources.set(file, { kind: 'passage', documentRef, page: null, heading: null, quote, score });
}

const shorten = (text: string): string =>
  [...text.slice(0, 2 * longestQuote)].slice(0, longestQuote).join('').toWellFormed();

/** Ids follow from the order of the search, or of the documents, which is the same in all steps of an answer. */
function toKnowledge({ pairs, passages, isWhole }: Grounding) {
  const sources = new Map<string, AnswerSource>();
  const knowledge: KnowledgeItem[] = [];
  const pairIds = numberItems('q', pairs, isWhole ? compareTexts : null);
  const passageIds = numberItems('p', passages, isWhole ? comparePlaces : null);
  for (let rank = 0; rank < Math.max(pairs.length, passages.length); rank += 1) {
    const [pair, passage] = [pairs[rank], passages[rank]];
    if (pair !== undefined) {
      const id = pairIds.get(pair) ?? '';
      const { question, answer, score } = pair;
      knowledge.push({ id, question, answer });
      sources.set(id, { kind: 'question', question, score });
    }
    if (passage !== undefined) {
      const id = passageIds.get(passage) ?? '';
      const { documentRef, document, date, page, heading, text, score } = passage;
      knowledge.push({ id, document, date, page, heading, text });
      sources.set(id, { kind: 'passage', documentRef, page, heading, quote: shorten(text), score });
    }
  }
  return { knowledge, sources };
}

const numberItems = <Item>(
  prefix: string,
  items: readonly Item[],
  order: ((a: Item, b: Item) => number) | null,
): Map<Item, string> =>
  new Map(
    (order === null ? items : items.toSorted(order)).map((item, index) => [item, `${prefix}${index + 1}`]),
  );

type FoundPair = Grounding['pairs'][number];
type FoundText = Grounding['passages'][number];

const compareTexts = (a: FoundPair, b: FoundPair): number =>
  compare(a.question, b.question) || compare(a.answer, b.answer);

/** Refs of documents are in the order of their creation. */
const comparePlaces = (a: FoundText, b: FoundText): number =>
  compare(a.documentRef, b.documentRef) || a.ordinal - b.ordinal;

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
