/**
 * A language model of an outside provider, or of a server that the operator runs. It has one call. Retries, limits and the
 * tool loop are the caller's.
 */
export interface LanguageModel {
  readonly name: string;
  /**
   * Sends one request. Executes no tools. Rejects with `ProviderError`, or with the signal's reason when it aborts.
   */
  generate(request: ModelRequest, signal: AbortSignal): Promise<ModelResponse>;
  /** How requests for a model differ from the usual ones, because its server refused those. For the operator. */
  describeAdaptations?(model: string): string[];
}

export interface ModelRequest {
  /** The provider's id of the model. */
  model: string;
  /** The same for many requests. */
  system: string;
  /** Oldest first. The last one is a user's message or tool results. */
  messages: readonly ModelMessage[];
  /** Empty for a call without tools. */
  tools: readonly ModelTool[];
  /** 0 to 2. Not sent to models that refuse it. */
  temperature: number;
  /** The state of the response in the previous step of the same answer; null on its first step. */
  state: ModelState | null;
  /** Files at the model's provider that it may search. Only `openai-hosted` has them. */
  fileSearch?: { storeRef: string; documentRefs: readonly string[] };
}

export type ModelMessage =
  | {
      role: 'user';
      text: string;
      images?: readonly ModelImage[];
      /** Whether everything up to here is the same for many requests, so that the provider should cache it. */
      isStable?: boolean;
    }
  | { role: 'assistant'; text: string; toolCalls: readonly ModelToolCall[] }
  /** The results of all tool calls of the assistant's message before it. */
  | { role: 'tool'; results: readonly { callId: string; tool: string; result: string }[] };

export interface ModelImage {
  mimeType: string;
  bytes: Uint8Array;
}

export interface ModelTool {
  /** Matches `[A-Za-z0-9_-]{1,64}`. */
  name: string;
  description: string;
  /** A JSON Schema of an object. */
  parameters: object;
}

export interface ModelToolCall {
  callId: string;
  tool: string;
  /** As the model wrote them: usually a JSON object, but not checked. */
  arguments: string;
}

export interface ModelResponse {
  /** May be empty. */
  text: string;
  /** May hold several calls, which the model wants made in this order. */
  toolCalls: readonly ModelToolCall[];
  /** Null if the provider does not report it. */
  usage: ModelUsage | null;
  finishReason: 'stop' | 'tool_calls' | 'length' | 'refused';
  state: ModelState;
  /** The results of this answer's searches so far. */
  passages?: readonly FoundPassage[];
  /** The files that the text cites, by the names of `passages`. */
  cited?: readonly string[];
}

/** A result of a search that the model's provider made. */
export interface FoundPassage {
  documentRef: string;
  /** The name by which the model knows the file. */
  file: string;
  /** Name of the document. */
  document: string;
  text: string;
  /** From 0 to 1. */
  score: number;
}

/** Tokens. Null means that the provider does not report this number. */
export interface ModelUsage {
  input: number | null;
  /** The part of `input` that the provider read from its cache. */
  cached: number | null;
  /** Includes `reasoning`. */
  output: number | null;
  reasoning: number | null;
}

/**
 * State that the provider needs to continue, such as encrypted reasoning: one entry per step of this answer. JSON, so that it can
 * be stored. Only the adapter that made it can read it. Null stands for a step that the adapter knows only from its message.
 */
export type ModelState = readonly unknown[];
