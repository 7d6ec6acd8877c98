/** The parts of a request and of its response that the OpenAPI document shows. Files have no `data`. */
export interface OperationExample {
  body?: unknown;
  data?: unknown;
  /** Added to lists in pages. */
  meta?: unknown;
  /** Server-sent events. */
  stream?: string;
}

export type Examples = Readonly<Record<string, OperationExample>>;

/** The same objects appear in all examples. */
export const ids = {
  team: '019ab0c4-7d2e-7c11-9f3a-5e0d8a4b6c01',
  bot: '019ab0c4-7d2e-7c11-9f3a-5e0d8a4b6c02',
  device: '019ab0c4-7d2e-7c11-9f3a-5e0d8a4b6c03',
  message: '019ab0c4-7d2e-7c11-9f3a-5e0d8a4b6c04',
  conversation: '019ab0c4-7d2e-7c11-9f3a-5e0d8a4b6c05',
  document: '019ab0c4-7d2e-7c11-9f3a-5e0d8a4b6c06',
  webhook: '019ab0c4-7d2e-7c11-9f3a-5e0d8a4b6c07',
  event: '019ab0c4-7d2e-7c11-9f3a-5e0d8a4b6c08',
  user: '019ab0c4-7d2e-7c11-9f3a-5e0d8a4b6c09',
  action: '019ab0c4-7d2e-7c11-9f3a-5e0d8a4b6c0a',
  pool: '019ab0c4-7d2e-7c11-9f3a-5e0d8a4b6c0b',
  auditEntry: '019ab0c4-7d2e-7c11-9f3a-5e0d8a4b6c0c',
  answer: '019ab0c4-7d2e-7c11-9f3a-5e0d8a4b6c0d',
  session: '019ab0c4-7d2e-7c11-9f3a-5e0d8a4b6c0f',
  case: '019ab0c4-7d2e-7c11-9f3a-5e0d8a4b6c10',
  run: '019ab0c4-7d2e-7c11-9f3a-5e0d8a4b6c11',
  template: '019ab0c4-7d2e-7c11-9f3a-5e0d8a4b6c12',
  reply: '019ab0c4-7d2e-7c11-9f3a-5e0d8a4b6c0e',
};

export const keyId = 'pk_7Hd2kQmZ9xW4bT1vNc8R';
export const contactNumber = '+15550123';
export const devicePhone = '15550100';
export const eventCursor = 'OWYzYjJjMWQuNzQyLjEwOS4xNzk1NDI2MjAwMDAw';

export const created = {
  created_at: '2026-11-02T08:15:00.000Z',
  updated_at: '2026-11-23T09:30:00.000Z',
};
