import type { OutboundRequest } from '../../platform/outbound/outbound.ts';
import { readWebhookSecret, signWebhook } from '../../platform/shared/webhook-signature.ts';

export interface Chat {
  contactNumber: string;
  conversationId: string;
}

/**
 * Adds the headers of docs/signed-actions.md to a request. They replace headers of the same names. `chat` is null for a
 * question that is asked over the API.
 */
export function signRequest(
  request: OutboundRequest,
  secret: string,
  { id, sentAt, chat }: { id: string; sentAt: Date; chat: Chat | null },
): OutboundRequest {
  const { pathname, search } = new URL(request.url);
  const { contactNumber = '', conversationId = '' } = chat ?? {};
  const payload = [request.method, pathname + search, contactNumber, conversationId, request.body ?? ''];
  const signature: Record<string, string> = {
    'parley-contact-number': contactNumber,
    'parley-conversation-id': conversationId,
    ...signWebhook([readWebhookSecret(secret)], { id, sentAt, payload: payload.join('\n') }),
  };
  const others = Object.entries(request.headers).filter(([name]) => !(name.toLowerCase() in signature));
  return { ...request, headers: { ...Object.fromEntries(others), ...signature } };
}
