import { useSyncExternalStore } from 'react';
import { getSession, isSessionRefused, type Session, subscribeToSession } from '../api/session.ts';

/** The signed-in key, or null. */
export const useSession = (): Session | null => useSyncExternalStore(subscribeToSession, getSession);

/** Whether the user must sign in again to go on. */
export const useIsRefused = (): boolean => useSyncExternalStore(subscribeToSession, isSessionRefused);

/** For pages, which are shown only while somebody is signed in. */
export function useActor(): Pick<Session, 'keyId' | 'teamId' | 'role'> {
  return useSession() ?? { keyId: '', teamId: null, role: null };
}
