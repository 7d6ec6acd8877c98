import { createParley, type StreamEventsOptions, type StreamedEvent } from '@parley/sdk';
import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react';
import { clientOptions } from '../api/client.ts';

/** The service sends a heartbeat every 15 seconds. */
const client = createParley({ ...clientOptions, timeoutMs: 20_000 });
const retryMs = 3_000;

/**
 * Follows events of at least one type while the page is visible, and calls `onEvent` with each, and with null when it may have missed some. A hidden tab follows
 * none: browsers allow few connections to a host over HTTP/1.1. Returns since when the feed has been dead, or null.
 */
export function useLiveEvents(
  types: NonNullable<StreamEventsOptions['types']>,
  onEvent: (event: StreamedEvent | null) => void,
): number | null {
  const [deadSince, setDeadSince] = useState<number | null>(null);
  const isVisible = useSyncExternalStore(subscribeToVisibility, () => document.visibilityState === 'visible');
  const wasConnected = useRef(false);
  const handle = useEffectEvent(onEvent);
  useEffect(() => {
    if (!isVisible || types.length === 0) return;
    const stop = new AbortController();
    const { signal } = stop;
    const onConnection = (connected: boolean) => {
      if (connected && wasConnected.current) handle(null);
      wasConnected.current ||= connected;
      setDeadSince((since) => (connected ? null : (since ?? Date.now())));
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = async (): Promise<void> => {
      try {
        for await (const event of client.streamEvents({ types, signal, onConnection })) handle(event);
      } catch {
        // The first connection failed, or the service refused one. The page says so.
      }
      if (signal.aborted) return;
      onConnection(false);
      timer = setTimeout(() => void follow(), retryMs);
    };
    void follow();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [types, isVisible]);
  return deadSince;
}

function subscribeToVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}
