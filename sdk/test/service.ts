import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { startService } from '../../scripts/demo/service-process.ts';

export const key = { key_id: 'sdk-test-key', key_secret: 'sdk-test-secret-of-the-first-key' };

/** Starts the whole service with embedded PostgreSQL and returns its address. It stops after the file's tests. */
export async function startTestService(environment: Record<string, string> = {}): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-sdk-'));
  const service = await startService(
    {
      PORT: '0',
      DATA_DIR: dataDir,
      BOOTSTRAP_KEY_ID: key.key_id,
      BOOTSTRAP_KEY_SECRET: key.key_secret,
      ...environment,
    },
    join(dataDir, 'service.log'),
  );
  after(async () => {
    service.child.kill('SIGTERM');
    await service.ended;
    await rm(dataDir, { recursive: true, force: true });
  });
  return service.addresses.api ?? '';
}
