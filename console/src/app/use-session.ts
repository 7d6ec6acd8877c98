import { useSyncExternalStore } from 'react';
import { getSession, type Session, subscribeToSession } from '../api/session.ts';

/** The signed-in key, or null. */
export const useSession = (): Session | null => useSyncExternalStore(subscribeToSession, getSession);

/** For pages, which are shown only while a key is signed in. */
export function useActor(): Pick<Session, 'keyId' | 'teamId'> {
  return useSession() ?? { keyId: '', teamId: null };
}
