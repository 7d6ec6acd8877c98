import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { type Launch, type ServiceProcess, startService } from '../../../scripts/demo/service-process.ts';
import { stopPostmaster } from '../../src/platform/database/embedded/postmaster.ts';
import { readRunningPid } from '../../src/platform/database/embedded/postmaster-lock.ts';
import { eventually } from '../eventually.ts';

/** A DATA_DIR on which a test starts and stops the service. */
export interface Deployment {
  dataDir: string;
  /** Starts a program on the DATA_DIR and waits until it is ready. It is killed after the tests. */
  start(environment?: Record<string, string>, launch?: Launch): Promise<Program>;
  /** Undefined while PostgreSQL is stopped. */
  postgresPid(): Promise<number | undefined>;
}

export interface Program {
  /** Address of the API. */
  url: string;
  /** Address of the simulated network. */
  simulator: string;
  child: ServiceProcess['child'];
  ended: ServiceProcess['ended'];
  /** Standard output and error so far. */
  log(): string;
  /** Resolves when the log has a line with this message. */
  hasLogged(message: string): Promise<void>;
  /** Sends SIGTERM and waits for the exit. Fails unless the exit code is 0. */
  stop(): Promise<void>;
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<void>;
}

/** The default bootstrap key of a deployment. */
export const key = { key_id: 'pk_start_and_stop', key_secret: 'sk_start_and_stop' };

const bootstrap = { BOOTSTRAP_KEY_ID: key.key_id, BOOTSTRAP_KEY_SECRET: key.key_secret };

/** Creates a deployment without starting it. `environment` applies to all starts. */
export async function createDeployment(environment: Record<string, string> = bootstrap): Promise<Deployment> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-start-stop-'));
  const dataDir = join(folder, 'data');
  const cluster = join(dataDir, 'postgres/cluster');
  const programs: Program[] = [];
  after(async () => {
    for (const program of programs) await program.kill();
    // PostgreSQL still runs if the program was killed.
    await stopPostmaster(cluster, 'immediate');
    await rm(folder, { recursive: true, force: true });
  });
  return {
    dataDir,
    postgresPid: () => readRunningPid(cluster),
    async start(own = {}, launch = {}) {
      const logFile = join(folder, `program-${programs.length}.log`);
      const settings = { PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'info', LEASE_SECONDS: '2' };
      const service = await startService({ ...settings, ...environment, ...own }, logFile, launch);
      const program = toProgram(service, logFile);
      programs.push(program);
      return program;
    },
  };
}

function toProgram({ addresses, child, ended }: ServiceProcess, logFile: string): Program {
  const log = () => readFileSync(logFile, 'utf8');
  return {
    url: addresses.api ?? '',
    simulator: addresses.simulator ?? '',
    child,
    ended,
    log,
    hasLogged: (message) =>
      eventually(
        async () => assert.ok(log().includes(`"msg":"${message}`), `no ${message} in ${log()}`),
        30_000,
      ),
    async stop() {
      child.kill('SIGTERM');
      assert.equal(await ended, 0, await readFile(logFile, 'utf8'));
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
