import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** A file that hangs fails the run after this time. */
export const fileTimeoutMs = 15 * 60_000;

const file = process.argv[1] ?? '';

// Loaded into every file of tests. The time limit of Node's runner ends with the last test of a file, not with its process.
if (process.env['NODE_TEST_CONTEXT'] !== undefined && isMainThread) {
  setTimeout(() => {
    const held = process.getActiveResourcesInfo().join(', ');
    process.stderr.write(`${file} still runs after ${fileTimeoutMs / 60_000} minutes; it holds ${held}\n`);
    process.exit(1);
  }, fileTimeoutMs).unref();
  if (readFileSync(file, 'utf8').includes("from 'fast-check'")) await seedProperties();
}

/** Lets properties draw the same values in every run, so that none fails by chance. `PROPERTY_SEED` draws others. */
async function seedProperties(): Promise<void> {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 1) });
}
