import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** An S3-speaking server in a process of its own. */
export interface S3Server {
  /** Configuration for a bucket on it. The bucket is created, empty. */
  environment(bucket: string): Record<string, string>;
  child: ChildProcess;
  close(): Promise<void>;
}

const program = fileURLToPath(new URL('./s3-server-process.ts', import.meta.url));
const buckets = Array.from({ length: 60 }, (_, index) => `parley-${index}`);

/** Returns the name of a bucket that no earlier caller got. */
export const takeBucket = (() => {
  const left = [...buckets];
  return (): string => left.shift() ?? 'none-left';
})();

export async function startS3Server(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-s3-'));
  // The server encrypts the positions of its lists with DES.
  const child = spawn(process.execPath, ['--openssl-legacy-provider', program, folder, ...buckets], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = await once(createInterface({ input: child.stdout }), 'line');
  return {
    child,
    environment: (bucket) => ({
      FILE_STORE: 's3',
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
    }),
    async close() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
