import { useSyncExternalStore } from 'react';

interface Writer {
  conversationId: string;
  id: string;
  name: string;
}

/** A colleague who goes on is announced again every 3 seconds. */
const shownMs = 5_000;

let writers: readonly Writer[] = [];
const timers = new Map<string, ReturnType<typeof setTimeout>>();
const listeners = new Set<() => void>();

/** Remembers for some seconds that a colleague writes in a conversation. */
export function showTyping(writer: Writer): void {
  const key = `${writer.conversationId} ${writer.id}`;
  const others = () =>
    writers.filter(({ conversationId, id }) => conversationId !== writer.conversationId || id !== writer.id);
  clearTimeout(timers.get(key));
  timers.set(
    key,
    setTimeout(() => {
      timers.delete(key);
      change(others());
    }, shownMs),
  );
  change([...others(), writer]);
}

function change(next: readonly Writer[]): void {
  writers = next;
  for (const listener of listeners) listener();
}

/** The names of the colleagues who write in the conversation. */
export const useWriters = (conversationId: string): string[] =>
  useSyncExternalStore(subscribe, () => writers)
    .filter((writer) => writer.conversationId === conversationId)
    .map(({ name }) => name)
    .sort();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
