import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Who asks for what: JSON that a transaction of a changing request begins with, for the triggers of the audit log. Null for work
 * that a request only starts.
 */
export const auditContext = new AsyncLocalStorage<string | null>();
