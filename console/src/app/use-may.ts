import { useCallback } from 'react';
import { mayCall, type Operation } from './may-call.ts';
import { useActor } from './use-session.ts';

/** Returns a function that says which operations a page may offer. */
export function useMay(): (operation: Operation) => boolean {
  const { teamId, role } = useActor();
  return useCallback((operation) => mayCall({ teamId, role }, operation), [teamId, role]);
}
