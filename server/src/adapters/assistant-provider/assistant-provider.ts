/**
 * An AI assistant provider. It stores assistants, knowledge stores and documents, and runs one model step at a time.
 * `answering/` executes the tools.
 *
 * `put…` converges: the same operation and content return the same ref, even if an earlier result was lost. `delete…`
 * is idempotent and resolves once the deletion is confirmed. Every call rejects when its signal aborts. Objects that
 * the provider may have created by then are found by their tag through `listOwned`.
 */
export interface AssistantProvider {
  readonly name: string;
  /** Whether it generates text, or only retrieves existing text. */
  readonly generates: boolean;
  putKnowledge(tag: OwnerTag, signal: AbortSignal): Promise<{ ref: string }>;
  deleteKnowledge(ref: string, signal: AbortSignal): Promise<void>;
  putDocument(tag: OwnerTag, document: ProviderDocument, signal: AbortSignal): Promise<{ ref: string }>;
  /** `failed` is final. */
  documentStatus(ref: string, signal: AbortSignal): Promise<'processing' | 'ready' | 'failed'>;
  deleteDocument(ref: string, signal: AbortSignal): Promise<void>;
  /** Creates an assistant, or adds an immutable revision to `ref`, so that running answers do not change. */
  putAssistant(
    tag: OwnerTag,
    ref: string | null,
    spec: AssistantSpec,
    signal: AbortSignal,
  ): Promise<{ ref: string; revision: string }>;
  deleteAssistant(ref: string, signal: AbortSignal): Promise<void>;
  /** Runs one model turn without executing tools. Rejects with `ProviderError`. */
  step(turn: AssistantTurn, signal: AbortSignal): Promise<AssistantStep>;
  listOwned(signal: AbortSignal): AsyncIterable<OwnedObject>;
}

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
  type: 'pdf' | 'txt' | 'docx' | 'doc';
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
  /** All parameters are required. */
  parameters: readonly { name: string; type: 'string' | 'number' | 'boolean'; description: string }[];
}

export interface AssistantTurn {
  assistantRef: string;
  revision: string;
  /** Documents withdrawn after this revision was created. Their passages must not be used. */
  withdrawnDocumentRefs: readonly string[];
  /** Oldest first. The last one is the contact's message or a tool result. */
  messages: readonly TurnMessage[];
}

export type TurnMessage =
  | { role: 'contact' | 'assistant'; text: string }
  | { role: 'tool_call'; callId: string; tool: string; arguments: Record<string, string | number | boolean> }
  /** The tool's output, or `error: …` if it failed. */
  | { role: 'tool_result'; callId: string; result: string };

export type AssistantStep = { usage: TokenUsage } & (
  | {
      kind: 'answer';
      /** Not empty. Blank lines separate paragraphs. */
      text: string;
      /** False if the assistant does not know the answer; `text` says so. */
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

/** The error of every provider call. `kind` tells the caller how to react. */
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
