import { createParley, type StreamEventsOptions } from '@parley/sdk';
import { useEffect, useEffectEvent, useState } from 'react';
import { clientOptions } from '../../api/client.ts';

/** The service sends a heartbeat every 15 seconds. */
const client = createParley({ ...clientOptions, timeoutMs: 20_000 });
const retryMs = 3_000;

/** Follows events while the page is shown. Returns since when the feed has been dead, or null while it works. */
export function useLiveEvents(
  types: NonNullable<StreamEventsOptions['types']>,
  onEvent: () => void,
): number | null {
  const [deadSince, setDeadSince] = useState<number | null>(null);
  const handle = useEffectEvent(onEvent);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const onConnection = (connected: boolean) =>
      setDeadSince((since) => (connected ? null : (since ?? Date.now())));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = async (): Promise<void> => {
      try {
        for await (const _ of client.streamEvents({ types, signal, onConnection })) handle();
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
  }, [types]);
  return deadSince;
}
