import { setTimeout as delay } from 'node:timers/promises';
import { createFileStore } from '../../../src/ports/file-store/create-file-store.ts';
import { readConfig } from '../../../src/process/config.ts';
import { assertCountsAreExact, assertNothingIsOrphaned, settle } from '../../faults/invariants.ts';
import { openTestContext } from '../../harness.ts';
import { createRemoteProvider } from '../provider/remote-provider.ts';

/** The workers run the same jobs and may hold some of the rows. */
const timeoutMs = 20_000;

/** Runs the cleanup jobs, then compares the provider, the file store and all counts with the rows. */
export async function checkExternalObjects(options: {
  databaseUrl: string;
  providerUrl: string;
  modelSettings: Readonly<Record<string, string>> | null;
  dataDir: string;
}): Promise<string[]> {
  const { modelSettings } = options;
  const context = await openTestContext(options.databaseUrl, {
    environment: modelSettings ?? {},
    replacements: {
      ...(modelSettings === null ? { provider: createRemoteProvider(options.providerUrl) } : {}),
      fileStore: createFileStore(readConfig({ DATA_DIR: options.dataDir })),
    },
  });
  const deadline = performance.now() + timeoutMs;
  try {
    for (;;) {
      try {
        await settle(context);
        await assertCountsAreExact(context);
        await assertNothingIsOrphaned(context);
        return [];
      } catch (error) {
        if (performance.now() > deadline)
          return [`external objects: ${error instanceof Error ? error.message : error}`];
        await delay(200);
      }
    }
  } finally {
    await context.close();
  }
}
