/** The behaviour of a fake model for one request. */
export interface FakeReply {
  text?: string;
  /** Spoken audio, base64. */
  audio?: string;
  toolCalls?: readonly { callId: string; tool: string; arguments: string }[];
  /** The fake then requires this reasoning, encrypted, in the next request of the same answer. */
  reasoning?: string;
  /** Searches the files (Responses only), then replies with the best passage, or that it does not know. */
  quotes?: boolean;
  /** With `quotes`: replies in plain text, and names the file in an annotation only. */
  annotates?: boolean;
  /** Ends with the provider's content filter. */
  refused?: boolean;
  /** Ends at the limit of tokens. */
  cut?: boolean;
  /** Leaves the usage out of the reply. */
  withoutUsage?: boolean;
  /** An HTTP error instead of a reply. */
  error?: { status: number; code: string; message: string; retryAfter?: string };
  /** Never responds; closes the connection halfway through the body. */
  fault?: 'hang' | 'cut';
  delayMs?: number;
}

/** The outcome of one call for files or vector stores. */
export interface FileFault {
  /** `lose reply` and `hold reply` do the work first. */
  kind: 'error' | 'hang' | 'lose reply' | 'hold reply';
  status?: number;
  code?: string;
  retryAfter?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of another party, which `refuse` checks
export type Json = any;

/** The wire protocol of one provider, as its real service speaks it. */
export interface Protocol {
  /** Returns the model of a request that this protocol serves, or null. */
  readModel(path: string, body: Json): string | null;
  /** Returns why the real service would refuse the request, or null. */
  refuse(headers: Record<string, unknown>, body: Json): string | null;
  /** Bytes are sent as audio. */
  writeReply(reply: FakeReply, model: string, body: Json): object | Buffer;
  writeError(error: NonNullable<FakeReply['error']>): object;
}

/** Tokens of every reply. */
export const fakeUsage = { input: 100, cached: 40, output: 20, reasoning: 5 };

export const encrypt = (reasoning: string): string => Buffer.from(`sealed:${reasoning}`).toString('base64');

/** Compares the ids of tool calls with those of the results that follow them. */
export function compareCalls(calls: readonly string[], results: readonly string[]): string | null {
  const missing = calls.filter((id) => !results.includes(id));
  const unknown = results.filter((id) => !calls.includes(id));
  if (missing.length > 0) return `No result for the tool calls ${missing}`;
  return unknown.length > 0 ? `Results for unknown tool calls ${unknown}` : null;
}
