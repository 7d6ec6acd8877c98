import { useCallback } from 'react';
import { mayCall, type Operation } from './may-call.ts';
import { useActor } from './use-session.ts';

/** Returns a function that says which operations a page may offer. */
export function useMay(): (operation: Operation) => boolean {
  const actor = useActor();
  return useCallback((operation) => mayCall(actor, operation), [actor]);
}
