import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { type ServiceProcess, startService } from '../../scripts/demo/service-process.ts';
import { testEncryptionKey } from './harness.ts';

/** Starts identical pools as separate processes. They are killed after the tests. */
export async function poolProcesses(rig: {
  databaseUrl: string;
  network: { url: string };
  leaseSeconds: number;
}): Promise<(environment?: Record<string, string>) => Promise<ServiceProcess>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-pools-'));
  const started: ServiceProcess[] = [];
  after(async () => {
    for (const { child, ended } of started) {
      child.kill('SIGKILL');
      await ended;
    }
    await rm(dataDir, { recursive: true, force: true });
  });
  return async (environment = {}) => {
    const process = await startService(
      {
        ROLES: 'pool',
        LEASE_SECONDS: String(rig.leaseSeconds),
        LOG_LEVEL: 'info',
        NODE_ENV: 'test',
        DATABASE_URL: rig.databaseUrl,
        ENCRYPTION_KEY: Buffer.from(testEncryptionKey).toString('base64'),
        SIMULATOR_URL: rig.network.url,
        DATA_DIR: dataDir,
        ...environment,
      },
      join(dataDir, 'pool.log'),
    );
    started.push(process);
    return process;
  };
}
