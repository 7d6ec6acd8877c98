import { readCount, readOptions } from './command-line.ts';
import { runFuzz } from './fuzz/run-fuzz.ts';
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

/** Sends generated requests one by one, then concurrently, to a service of its own. */
const service = await startFuzzedService();
try {
  const { table, failures, gaps, rejected } = await runFuzz(service, { seed, requests: () => requests });
  console.log(`${table}\n`);
  if (values.verbose) for (const request of rejected) console.log(`rejected: ${request}`);
  for (const { index, problems, mutator, request, response, log } of failures) {
    console.log(
      `FAILURE at ${index} (${mutator}): ${problems.join('; ')}\n  ${request}\n  ${response}\n  ${log.join('\n  ')}`,
    );
  }
  for (const gap of gaps) console.log(`GAP ${gap}`);
  const stormFailures = await runStorm(service, { seed, requests, workers: 16 });
  for (const failure of stormFailures) console.log(`FAILURE in the storm: ${failure}`);
  const total = failures.length + gaps.length + stormFailures.length;
  console.log(
    `--seed ${seed} --requests ${requests}: ${failures.length} failures, ${gaps.length} gaps, ${stormFailures.length} failures in the storm`,
  );
  process.exitCode = total === 0 ? 0 : 1;
} catch (error) {
  for (const line of (await service.loggedErrors()).slice(-5)) console.log(line);
  throw error;
} finally {
  await service.close();
}
