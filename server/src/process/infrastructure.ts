import { statfs } from 'node:fs/promises';
import { withDeadline } from '../platform/shared/deadline.ts';
import type { FileStore } from '../ports/file-store/file-store.ts';
import type { Config } from './config.ts';

const deadlineMs = 5_000;

/** Describes what this process needs besides models, for `/readyz?verbose`. Never rejects. */
export async function describeInfrastructure(
  config: Pick<Config, 'DATA_DIR' | 'MESSAGING_NETWORK'>,
  { fileStore }: { fileStore: FileStore },
  readDatabase: () => Promise<unknown>,
): Promise<object> {
  const [database, store, disk] = await Promise.all([
    measure(readDatabase),
    measure(() => readMissing(fileStore)),
    readDisk(config.DATA_DIR),
  ]);
  return {
    database,
    file_store: { name: fileStore.name, ...store },
    disk,
    messaging_network: { name: config.MESSAGING_NETWORK.join(',') },
  };
}

/** The file does not exist. The store has to answer nevertheless, which shows that it is reachable. */
const readMissing = (fileStore: FileStore): Promise<unknown> => fileStore.exists('readyz/none');

async function measure(
  call: () => Promise<unknown>,
): Promise<{ reachable: boolean; ms: number; error?: string }> {
  const started = performance.now();
  const error = await withDeadline(deadlineMs, call).then(
    () => null,
    (cause: unknown) => (cause instanceof Error ? cause.message : String(cause)),
  );
  const ms = Math.round((performance.now() - started) * 10) / 10;
  return { reachable: error === null, ms, ...(error === null ? {} : { error }) };
}

async function readDisk(path: string): Promise<object> {
  try {
    const { bavail, blocks, bsize } = await statfs(path);
    return { path, free_bytes: bavail * bsize, total_bytes: blocks * bsize };
  } catch (error) {
    return { path, error: error instanceof Error ? error.message : String(error) };
  }
}
