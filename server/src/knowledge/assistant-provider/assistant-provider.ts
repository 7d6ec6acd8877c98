import type { KnowledgePlace } from '../../platform/database/installation.queries.ts';
import type { ModelImage, ModelToolCall } from '../../ports/language-model/language-model.ts';
import type { LastingFailure, ProviderError, StepFailure, StepUsage } from '../../ports/provider-error.ts';

/**
 * An AI assistant provider. It stores assistants, knowledge stores and documents, and takes one step of an answer at a time.
 * `answering/` executes the tools.
 *
 * `put…` converges: the same operation and content return the same ref, even if an earlier result was lost. `delete…`
 * is idempotent and resolves once the deletion is confirmed. Every call rejects when its signal aborts. Objects that
 * the provider may have created by then are found by their tag through `listOwned`.
 */
export interface AssistantProvider {
  readonly name: string;
  /** False if it only quotes existing text. Then it cannot rewrite. */
  readonly generatesText: boolean;
  /** Whether it reads the images of the contact's messages. */
  readonly seesImages: boolean;
  /** Where `putDocument` stores documents. In the database, no outside provider can refuse them. */
  readonly documentsIn: KnowledgePlace;
  putKnowledge(tag: OwnerTag, signal: AbortSignal): Promise<{ ref: string }>;
  deleteKnowledge(ref: string, signal: AbortSignal): Promise<void>;
  putDocument(tag: OwnerTag, document: ProviderDocument, signal: AbortSignal): Promise<{ ref: string }>;
  /** `failed` is final. */
  documentStatus(ref: string, signal: AbortSignal): Promise<'processing' | 'ready' | 'failed'>;
  /** Returns the refs of a few documents of the same team that are nearly the same. Empty if the provider does not compare them. */
  findSimilarDocuments(ref: string, signal: AbortSignal): Promise<readonly string[]>;
  deleteDocument(ref: string, signal: AbortSignal): Promise<void>;
  /** Creates an assistant, or adds an immutable revision to `ref`, so that running answers do not change. */
  putAssistant(
    tag: OwnerTag,
    ref: string | null,
    spec: AssistantSpec,
    signal: AbortSignal,
  ): Promise<{ ref: string; revision: string }>;
  deleteAssistant(ref: string, signal: AbortSignal): Promise<void>;
  /** Takes one step. Executes no tools. Rejects with `ProviderError`. */
  step(turn: AssistantTurn, signal: AbortSignal): Promise<AssistantStep>;
  /** Rewrites `text` in the assistant's words for this contact, without tools. Rejects with `ProviderError`. */
  rewrite(turn: RewriteTurn, signal: AbortSignal): Promise<Rewriting>;
  /** Says whether a reply fulfils a criterion. Rejects with `ProviderError`, always if it generates no text. */
  judge(turn: JudgeTurn, signal: AbortSignal): Promise<Judgement>;
  listOwned(signal: AbortSignal): AsyncIterable<OwnedObject>;
  /**
   * Makes a minimal call of a model, with the temperature and the tools of the bot, if one is given. Returns how requests are
   * adapted to the model, in words for the operator. Rejects with `ProviderError`.
   */
  checkModel(check: ModelCheck, signal: AbortSignal): Promise<readonly string[]>;
  /** The failures that stop calls until the operator acts. Empty if all is well. */
  lastingFailures(): readonly LastingFailure[];
}

export type ModelCheck = Pick<AssistantSpec, 'modelLevel'> &
  Partial<Pick<AssistantSpec, 'temperature' | 'tools'>>;

/** Stored with every object at the provider, to find it and its owner again. */
export interface OwnerTag {
  teamId: string;
  objectId: string;
  /** The same for all retries of one operation. */
  operation: string;
}

export interface OwnedObject {
  kind: 'assistant' | 'knowledge' | 'document';
  ref: string;
  tag: OwnerTag;
  createdAt: Date;
}

export interface ProviderDocument {
  name: string;
  type: 'pdf' | 'txt' | 'docx' | 'doc' | 'md' | 'html' | 'csv' | 'xlsx' | 'pptx';
  bytes: Uint8Array;
  /** The extracted text, produced lazily. Providers with their own extraction use `bytes`. */
  sections: Iterable<DocumentSection>;
}

export interface DocumentSection {
  /** From 1; `null` if the format has no pages. */
  page: number | null;
  heading: string | null;
  text: string;
}

export interface AssistantSpec {
  name: string;
  identificationName: string;
  instructions: string;
  /** The subjects that the assistant is for. Absent: anything. */
  purpose?: string;
  temperature: number;
  modelLevel: 1 | 2 | 3;
  questions: readonly { question: string; answer: string }[];
  tools: readonly ToolSpec[];
  knowledge: { storeRef: string; documentRefs: readonly string[] };
}

/** A function that the model may call. Names are unique within an assistant and match `[A-Za-z0-9_-]{1,64}`. */
export interface ToolSpec {
  name: string;
  description: string;
  parameters: readonly ToolParameter[];
}

export interface ToolParameter {
  name: string;
  type: 'string' | 'number' | 'boolean';
  description: string;
  required: boolean;
}

/** The input of a step. */
export interface AssistantTurn {
  assistantRef: string;
  revision: string;
  /** Documents withdrawn after this revision was created. Their passages must not be used. */
  withdrawnDocumentRefs: readonly string[];
  context: TurnContext;
  /** Oldest first. The last one is the contact's message or tool results. */
  messages: readonly TurnMessage[];
  /** The `state` of the previous step of this answer, possibly stored in between. Null on the first step. */
  state: unknown;
  /** Whether the step must be an answer, because no more calls are made. */
  mustAnswer?: boolean;
}

/** The input of a step besides the assistant and the messages. */
export interface TurnContext {
  /** Of the team. BCP 47, such as `pt-BR`. */
  locale: string;
  /** The language in which the contact writes, such as `pt`; null if the messages do not show it. */
  language: string | null;
  /** IANA name, such as `Europe/Berlin`. */
  timeZone: string;
  now: Date;
  /** Whether the contact may ask for a person. */
  allowHuman: boolean;
  /** In milliseconds of `performance.now()`. By then the contact should have the whole answer. Nothing is retried later. */
  deadline: number;
  /** Nobody waits, so the answer waits until the meaning of pairs and of the question is known. */
  isReplay?: boolean;
}

export interface ContactMessage {
  role: 'contact';
  /** Empty if `withdrawn`. */
  text: string;
  images?: readonly ModelImage[];
  /** The message that this one replies to. */
  quoted?: QuotedMessage;
  /** The contact deleted the message, or corrected it in a later one. */
  withdrawn?: 'deleted' | 'corrected';
}

export interface QuotedMessage {
  /** `unknown`: Parley does not have the message. Its text is what the contact's app says, so a contact can invent it. */
  from: 'contact' | 'business' | 'unknown';
  kind: 'text' | 'image' | 'voice' | 'document';
  /** Empty for a medium without words and for a deleted message. */
  text: string;
}

export type TurnMessage =
  | ContactMessage
  /** With `calls`, a step of the model, whose results follow. */
  | { role: 'assistant'; text: string; calls?: readonly ModelToolCall[] }
  | { role: 'tool_results'; results: readonly ToolResult[] };

export interface ToolResult {
  callId: string;
  tool: string;
  /** The tool's output, `emptyResult`, `error: …` if it failed, or `unknownOutcome` followed by the cause. */
  result: string;
}

/** The result of a call that is not repeated, because an interrupted attempt may have made it. */
export const unknownOutcome =
  'error: the outcome of this call is unknown: it may have taken effect. Do not call again before you know; tell the contact.';

/** The result of a call that succeeded without output. */
export const emptyResult = 'The call succeeded. The service returned no content.';

export type AssistantStep = StepOrigin &
  (
    | {
        kind: 'answer';
        /** Not empty. Blank lines separate paragraphs. */
        text: string;
        /** False if the assistant does not know the answer; `text` says so. */
        answered: boolean;
        /** Whether a model said that the question has nothing to do with the assistant's purpose. */
        offTopic?: boolean;
        sources: readonly AnswerSource[];
        /** Whether a person should continue the conversation. */
        handsOver: boolean;
        /** Whether the end is missing, because the model reached its limit of tokens. Absent if no model wrote the text. */
        shortened?: boolean;
      }
    | {
        kind: 'tool_calls';
        /** The text that the model wrote beside the calls; often empty. */
        text: string;
        /** At least one. The model wants them made in this order. */
        calls: readonly ModelToolCall[];
      }
  );

interface StepOrigin {
  /** One entry per call of a model; empty if no model was called. */
  usage: readonly StepUsage[];
  /** JSON for the next step's turn. Only the provider reads it. */
  state: unknown;
  /** Why the embedded composer (`embedded/`, which quotes) took this step instead of the model; else null. */
  fallback: StepFailure | null;
  /** Why knowledge was searched by words only although an embedding model is configured. */
  embeddingFailure?: ProviderError['kind'];
}

export interface RewriteTurn extends Omit<AssistantTurn, 'state'> {
  /** The operator's text. Data, like the messages. */
  text: string;
}

export interface JudgeTurn extends Pick<AssistantTurn, 'assistantRef' | 'revision'> {
  conversation: readonly { role: 'contact' | 'assistant'; text: string }[];
  reply: string;
  criterion: string;
  /** In milliseconds of `performance.now()`. */
  deadline: number;
}

export interface Judgement {
  fulfilled: boolean;
  /** Of the model: why. May be empty. */
  words: string;
  usage: readonly StepUsage[];
}

export interface Rewriting {
  /** Not empty. */
  text: string;
  usage: readonly StepUsage[];
}

export type AnswerSource =
  | { kind: 'question'; question: string; score: number }
  | {
      kind: 'passage';
      documentRef: string;
      page: number | null;
      heading: string | null;
      quote: string;
      score: number;
    };
