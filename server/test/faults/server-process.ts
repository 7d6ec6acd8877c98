import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { type Launch, type ServiceProcess, startService } from '../../../scripts/demo/service-process.ts';
import { testEncryptionKey } from '../harness.ts';

/** Parley processes that a test may kill. */
export interface ServerProcesses {
  /** Resolves when the process is ready. It is killed after the tests. */
  start(environment?: Record<string, string>, launch?: Launch): Promise<ServerProcess>;
  dataDir: string;
}

export interface ServerProcess {
  /** Address of the API. */
  url: string;
  pid: number;
  hasEnded(): boolean;
  /** Sends SIGTERM. */
  stop(): void;
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<void>;
  ended: Promise<unknown>;
}

/** `environment` applies to all processes. They share the encryption key of the tests. */
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
    async start(own = {}, launch = {}) {
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
        launch,
      );
      started.push(service);
      return {
        url: service.addresses.api ?? '',
        pid: service.child.pid ?? 0,
        hasEnded: () => service.child.exitCode !== null || service.child.signalCode !== null,
        ended: service.ended,
        stop: () => void service.child.kill('SIGTERM'),
        async kill() {
          service.child.kill('SIGKILL');
          await service.ended;
        },
      };
    },
  };
}
