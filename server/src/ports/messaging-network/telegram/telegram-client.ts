import { SendOutcomeUnknown, SendPostponed } from '../messaging-network.ts';
import { neverConnected, readBounded } from '../network-call.ts';
import type { FileReference } from './updates.ts';

/** The Bot API refused a call. It did nothing. */
export class TelegramRefusal extends Error {
  override readonly name = 'TelegramRefusal';
  readonly code: number;
  /** After which time it would accept the call, if it says so. */
  readonly retryAfterSeconds: number | undefined;
  constructor(code: number, description: string, retryAfterSeconds?: number) {
    super(`the Bot API refused a call with ${code}: ${description}`);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** All throw `TelegramRefusal`, or without a response what it means for a message: `SendPostponed` or `SendOutcomeUnknown`. */
export interface TelegramClient {
  call(method: string, parameters: object | FormData, signal: AbortSignal): Promise<unknown>;
  /** Returns null for a file over the limit. */
  download(fileId: string, maxBytes: number, signal: AbortSignal): Promise<Buffer | null>;
}

const timeoutMs = 20_000;
const maxResponseBytes = 1024 * 1024;

/** https://core.telegram.org/bots/api#making-requests */
export function createTelegramClient(baseUrl: string, token: string): TelegramClient {
  const request = async (path: string, init: RequestInit, maxBytes: number, signal: AbortSignal) => {
    const both = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const response = await fetch(`${baseUrl}/${path}`, { ...init, redirect: 'error', signal: both });
      return { status: response.status, body: await readBounded(response, maxBytes) };
    } catch (error) {
      throw neverConnected(error) ? new SendPostponed(2) : new SendOutcomeUnknown(error);
    }
  };
  const call: TelegramClient['call'] = async (method, parameters, signal) => {
    const isForm = parameters instanceof FormData;
    const content = isForm
      ? { body: parameters }
      : { body: JSON.stringify(parameters), headers: { 'content-type': 'application/json' } };
    const init = { method: 'POST', ...content };
    const response = await request(`bot${token}/${method}`, init, maxResponseBytes, signal);
    const body = parse(response.body);
    if (body?.ok === true) return body.result;
    const code = body?.error_code ?? response.status;
    if (body === null || code >= 500) throw new SendOutcomeUnknown(`the response had status ${code}`);
    throw new TelegramRefusal(code, body.description ?? '', body.parameters?.retry_after);
  };
  return {
    call,
    async download(fileId, maxBytes, signal) {
      // The Bot API describes files so.
      const file = (await call('getFile', { file_id: fileId }, signal)) as FileReference;
      if ((file.file_size ?? 0) > maxBytes) return null;
      const path = `file/bot${token}/${file.file_path ?? ''}`;
      const { status, body } = await request(path, {}, maxBytes, signal);
      if (status >= 500) throw new SendOutcomeUnknown(`the response had status ${status}`);
      if (status !== 200) throw new TelegramRefusal(status, 'the file cannot be downloaded');
      return body;
    },
  };
}

interface Body {
  ok?: boolean;
  result?: unknown;
  error_code?: number;
  description?: string;
  parameters?: { retry_after?: number };
}

function parse(body: Buffer | null): Body | null {
  try {
    const parsed: unknown = JSON.parse(String(body));
    return typeof parsed === 'object' ? parsed : null;
  } catch {
    return null;
  }
}
