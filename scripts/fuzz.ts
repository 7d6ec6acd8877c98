import { readCount, readOptions } from './command-line.ts';
import { runFuzz } from './fuzz/run.ts';
import { startFuzzedService } from './fuzz/service.ts';
import { runStorm } from './fuzz/storm.ts';

const usage = 'npm run fuzz -- [--seed S] [--requests N] [--verbose]';
const values = readOptions(usage, {
  seed: { type: 'string', default: String(1 + (Date.now() % 1_000_000)) },
  requests: { type: 'string', default: '5000' },
  verbose: { type: 'boolean', default: false },
});
const seed = readCount(usage, 'seed', values.seed);
const requests = readCount(usage, 'requests', values.requests);

/** Generated requests, then a storm of them, against a service of its own. */
const service = await startFuzzedService();
try {
  const { table, faults, gaps, refused } = await runFuzz(service, { seed, requests: () => requests });
  console.log(`${table}\n`);
  if (values.verbose) for (const request of refused) console.log(`refused: ${request}`);
  for (const { index, what, mischief, request, answer, log } of faults) {
    console.log(`FAULT at ${index} (${mischief}): ${what}\n  ${request}\n  ${answer}\n  ${log.join('\n  ')}`);
  }
  for (const gap of gaps) console.log(`GAP ${gap}`);
  const crossed = await runStorm(service, { seed, requests, lanes: 16 });
  for (const fault of crossed) console.log(`FAULT in the storm: ${fault}`);
  const total = faults.length + gaps.length + crossed.length;
  console.log(
    `--seed ${seed} --requests ${requests}: ${faults.length} faults, ${gaps.length} gaps, ${crossed.length} faults in the storm`,
  );
  process.exitCode = total === 0 ? 0 : 1;
} catch (error) {
  for (const line of (await service.complaints()).slice(-5)) console.log(line);
  throw error;
} finally {
  await service.close();
}
