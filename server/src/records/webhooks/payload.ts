import type { PresentedEvent } from '../events/present-event.ts';

const isId = (name: string): boolean => name.endsWith('_id');

/** The body of a delivery. A thin one has only ids in `data`, so that it carries neither texts nor numbers of contacts. */
export function createPayload(event: PresentedEvent, { thin }: { thin: boolean }): string {
  if (!thin) return JSON.stringify(event);
  const data = Object.fromEntries(Object.entries(event.data).filter(([name]) => isId(name)));
  return JSON.stringify({ ...event, data });
}
