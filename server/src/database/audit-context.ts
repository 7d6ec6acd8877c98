import { AsyncLocalStorage } from 'node:async_hooks';

/** Who asks for what: JSON that a transaction of a changing request begins with, for the triggers of the audit log. */
export const auditContext = new AsyncLocalStorage<string>();
