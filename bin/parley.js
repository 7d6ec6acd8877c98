#!/usr/bin/env node
import { run } from './run.js';

const [command, ...rest] = process.argv.slice(2);
await (command === 'demo' ? run('scripts/demo/demo', rest) : run('server/src/process/cli/parley'));
