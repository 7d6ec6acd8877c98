import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { type ServiceProcess, startService } from '../../../scripts/demo/service-process.ts';
import { testEncryptionKey } from '../harness.ts';

/** Starts Parley as processes of their own, one after the other, that a test may kill. */
export interface ServerProcesses {
  /** Waits until it is ready. Killed after the tests, if it still runs. */
  start(environment?: Record<string, string>): Promise<ServerProcess>;
  /** Their folder of files. */
  dataDir: string;
}

export interface ServerProcess {
  /** Of its api. */
  url: string;
  pid: number;
  hasEnded(): boolean;
  /** kill -9; resolves when it is gone. */
  kill(): Promise<void>;
  /** Resolves when it has ended, by whosever hand. */
  ended: Promise<unknown>;
}

/** On a migrated or empty database, with the keys that the tests' own apis use; `environment` for all of them. */
export async function serverProcesses(environment: {
  DATABASE_URL: string;
  SIMULATOR_URL: string;
  ROLES: string;
  [name: string]: string;
}): Promise<ServerProcesses> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-faults-'));
  const logFile = join(dataDir, 'server.log');
  const started: ServiceProcess[] = [];
  after(async () => {
    for (const { child, ended } of started) {
      child.kill('SIGKILL');
      await ended;
    }
    await rm(dataDir, { recursive: true, force: true });
  });
  return {
    dataDir,
    async start(own = {}) {
      const service = await startService(
        {
          PORT: '0',
          DATA_DIR: dataDir,
          LOG_LEVEL: 'info',
          NODE_ENV: 'test',
          ENCRYPTION_KEY: Buffer.from(testEncryptionKey).toString('base64'),
          ...environment,
          ...own,
        },
        logFile,
      );
      started.push(service);
      return {
        url: service.addresses.api ?? '',
        pid: service.child.pid ?? 0,
        hasEnded: () => service.child.exitCode !== null || service.child.signalCode !== null,
        ended: service.ended,
        async kill() {
          service.child.kill('SIGKILL');
          await service.ended;
        },
      };
    },
  };
}
