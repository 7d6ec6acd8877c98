import { setTimeout as delay } from 'node:timers/promises';
import { createFileStore } from '../../../src/adapters/file-store/create-file-store.ts';
import { assertCountsAreExact, assertNothingIsOrphaned, settle } from '../../faults/invariants.ts';
import { openTestContext } from '../../harness.ts';
import { createRemoteProvider } from '../provider/remote-provider.ts';

/** The workers run the same jobs beside; what one of them holds is waited for. */
const patienceMs = 20_000;

/** Once the jobs have run: the provider and the file store hold what the rows name, and every count is exact. */
export async function checkExternalObjects(options: {
  databaseUrl: string;
  providerUrl: string;
  dataDir: string;
}): Promise<string[]> {
  const context = await openTestContext(options.databaseUrl, {
    replacements: {
      provider: createRemoteProvider(options.providerUrl),
      fileStore: createFileStore({ fileStore: 'local', dataDir: options.dataDir }),
    },
  });
  const deadline = performance.now() + patienceMs;
  try {
    for (;;) {
      try {
        await settle(context);
        await assertCountsAreExact(context);
        await assertNothingIsOrphaned(context);
        return [];
      } catch (error) {
        if (performance.now() > deadline)
          return [`outside: ${error instanceof Error ? error.message : error}`];
        await delay(200);
      }
    }
  } finally {
    await context.close();
  }
}
