import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Call before other modules load. Cached compiled sources save a third of the CPU time of a start. */
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/parley', import.meta.url)));
await import('./program.ts');
