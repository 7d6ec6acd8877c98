import { AsyncLocalStorage } from 'node:async_hooks';

/** The request id of the work in progress, for spans of calls deep inside it. */
export const currentRequest = new AsyncLocalStorage<string>();
