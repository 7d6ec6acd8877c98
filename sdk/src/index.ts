export type * from './api.generated.ts';
export { type DetailsOf, isParleyError, ParleyError, type Reason } from './errors.ts';
export type { StreamEventsOptions, StreamedEvent } from './event-stream.ts';
export { createParley, type Parley } from './parley.ts';
export type {
  ApiKeyCredentials,
  CallOptions,
  Exchange,
  Page,
  Pages,
  ParleyOptions,
  Upload,
  WebhookEvent,
} from './types.ts';
export { verifyWebhook, WebhookVerificationError } from './webhooks.ts';
