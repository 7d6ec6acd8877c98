import { run } from './run.js';

// server/src/main.ts links here, because Node 20 cannot load TypeScript.
await run('server/src/program');
