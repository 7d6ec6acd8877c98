import { useSyncExternalStore } from 'react';
import { getSession, isSessionRefused, type Session, subscribeToSession } from '../api/session.ts';

/** The signed-in person or key, or null. */
export const useSession = (): Session | null => useSyncExternalStore(subscribeToSession, getSession);

/** Whether the user must sign in again to go on. */
export const useIsRefused = (): boolean => useSyncExternalStore(subscribeToSession, isSessionRefused);

const nobody = { keyId: null, person: null, portal: null, teamId: null, role: null };

/** For pages, which are shown only while somebody is signed in. */
export const useActor = (): Omit<Session, 'token'> => useSession() ?? nobody;
