/**
 * The port to an AI assistant provider. It holds an assistant's configuration, its knowledge store and its documents,
 * and makes one model step at a time; tools are executed by `answering/`, never in here.
 *
 * `put…` converges: the same operation key and content give the same ref, also when an earlier call's outcome was lost.
 * `delete…` is idempotent and resolves only when the object is confirmed gone. Every call takes a signal and gives up
 * when it aborts; what the provider may have made by then is found by its tag through `listOwned`.
 */
export interface AssistantProvider {
  readonly name: string;
  /** Whether it writes texts of its own, as an instruction asks; false where it only finds what was written. */
  readonly generates: boolean;
  putKnowledge(tag: OwnerTag, signal: AbortSignal): Promise<{ ref: string }>;
  deleteKnowledge(ref: string, signal: AbortSignal): Promise<void>;
  putDocument(tag: OwnerTag, document: ProviderDocument, signal: AbortSignal): Promise<{ ref: string }>;
  /** One cheap read. `failed` is final. */
  documentStatus(ref: string, signal: AbortSignal): Promise<'processing' | 'ready' | 'failed'>;
  deleteDocument(ref: string, signal: AbortSignal): Promise<void>;
  /**
   * Creates the assistant, or (with `ref`) gives it another configuration. A revision is immutable: steps name the one
   * they want, so an update cannot change what is being answered under the version before it.
   */
  putAssistant(
    tag: OwnerTag,
    ref: string | null,
    spec: AssistantSpec,
    signal: AbortSignal,
  ): Promise<{ ref: string; revision: string }>;
  /** Removes the assistant with all its revisions. */
  deleteAssistant(ref: string, signal: AbortSignal): Promise<void>;
  /** One turn of the model, without executing tools. Rejects with `ProviderError`. */
  step(turn: AssistantTurn, signal: AbortSignal): Promise<AssistantStep>;
  /** Everything that bears this installation's tag, for the sweep of orphans. */
  listOwned(signal: AbortSignal): AsyncIterable<OwnedObject>;
}

/** Written into every object at the provider, so that it can be found and attributed again. */
export interface OwnerTag {
  teamId: string;
  /** Bot or document id. */
  objectId: string;
  /** Stable over the retries of one operation. */
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
  type: 'pdf' | 'txt' | 'docx' | 'doc';
  bytes: Uint8Array;
  /** The extracted text, made while it is gone through; providers that index by themselves use `bytes` instead. */
  sections: Iterable<DocumentSection>;
}

/** A piece of a document under one heading or on one page, in reading order. */
export interface DocumentSection {
  /** From 1; `null` where the format has no pages. */
  page: number | null;
  heading: string | null;
  text: string;
}

export interface AssistantSpec {
  name: string;
  identificationName: string;
  instructions: string;
  temperature: number;
  modelLevel: 1 | 2 | 3;
  questions: readonly { question: string; answer: string }[];
  tools: readonly ToolSpec[];
  knowledge: { storeRef: string; documentRefs: readonly string[] };
}

/** A function that the model may ask to be called. Names are unique within an assistant and match `[A-Za-z0-9_-]{1,64}`. */
export interface ToolSpec {
  name: string;
  description: string;
  /** All of them are required. */
  parameters: readonly { name: string; type: 'string' | 'number' | 'boolean'; description: string }[];
}

export interface AssistantTurn {
  assistantRef: string;
  revision: string;
  /** Documents withdrawn after this revision was made; their passages must not be used. */
  withdrawnDocumentRefs: readonly string[];
  /** Oldest first; ends with the contact's message or with the result of a tool. */
  messages: readonly TurnMessage[];
}

export type TurnMessage =
  | { role: 'contact' | 'assistant'; text: string }
  | { role: 'tool_call'; callId: string; tool: string; arguments: Record<string, string | number | boolean> }
  /** The tool's own words, or `error: …` when it failed. */
  | { role: 'tool_result'; callId: string; result: string };

export type AssistantStep = { usage: TokenUsage } & (
  | {
      kind: 'answer';
      /** Paragraphs separated by blank lines. Not empty. */
      text: string;
      /** False when the assistant does not know; `text` then says so. */
      answered: boolean;
      sources: readonly AnswerSource[];
    }
  | { kind: 'tool_call'; callId: string; tool: string; arguments: Record<string, string | number | boolean> }
);

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

export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
}

/** Rejections of every provider call, told apart by what the caller can do about them. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly kind:
    | 'rate_limited'
    | 'quota_exhausted'
    | 'auth'
    | 'invalid_config'
    | 'not_found'
    | 'transient'
    | 'refused';
  /** Seconds, for `rate_limited`. */
  readonly retryAfter: number | null;
  constructor(
    kind: ProviderError['kind'],
    message: string,
    options: { retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.retryAfter = options.retryAfter ?? null;
  }
}
