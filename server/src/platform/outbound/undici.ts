import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Loads the HTTP client with the first call, because many processes never call a partner's address. */
export const loadUndici = (): typeof import('undici') => require('undici');
