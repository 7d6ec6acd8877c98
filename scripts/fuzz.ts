import { parseArgs } from 'node:util';
import { runFuzz } from './fuzz/run.ts';
import { startFuzzedService } from './fuzz/service.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    requests: { type: 'string', default: '5000' },
    verbose: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);

/** `npm run fuzz -- --seed S --requests N`: generated requests, valid and hostile, against a service of its own. */
const service = await startFuzzedService();
try {
  const started = performance.now();
  const { table, faults, gaps, refused } = await runFuzz(service, {
    seed,
    requests: () => Number(values.requests),
  });
  console.log(`${table}\n`);
  if (values.verbose) for (const request of refused) console.log(`refused: ${request}`);
  for (const { index, what, mischief, request, answer, log } of faults) {
    console.log(`FAULT at ${index} (${mischief}): ${what}\n  ${request}\n  ${answer}\n  ${log.join('\n  ')}`);
  }
  for (const gap of gaps) console.log(`GAP ${gap}`);
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(
    `${values.requests} requests with --seed ${seed} in ${seconds} s: ${faults.length} faults, ${gaps.length} gaps`,
  );
  process.exitCode = faults.length + gaps.length === 0 ? 0 : 1;
} finally {
  await service.close();
}
