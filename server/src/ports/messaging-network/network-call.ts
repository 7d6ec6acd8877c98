import type { MessageContent } from './messaging-network.ts';

/** Returns the body of a response, or null once it exceeds `maxBytes`. */
export async function readBounded(response: Response, maxBytes: number): Promise<Buffer | null> {
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
    await response.body?.cancel();
    return null;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Whether a failed request had no connection yet, so that nothing was sent. */
export function neverConnected(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: unknown } };
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'].includes(String(cause?.code));
}

/** The name of a file that a message sends. */
export function fileNameOf(content: Exclude<MessageContent, { kind: 'text' }>): string {
  if (content.kind === 'document') return content.fileName;
  return `${content.kind}.${content.mimeType.split('/')[1]?.split(/[;+]/)[0] ?? 'bin'}`;
}
