import { run } from './run.js';

await run('server/src/process/program');
