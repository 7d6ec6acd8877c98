import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The caller and its request as JSON. A transaction of a changing request begins with it, for the triggers of the audit log.
 * Null for work that a request only starts.
 */
export const auditContext = new AsyncLocalStorage<string | null>();
