import { join } from 'node:path';
import { createDatabase } from './list-database.ts';
import {
  type Deployment,
  deploymentEnvironment,
  exchange,
  newDeployment,
  parleyProgram,
} from './parley-process.ts';
import type { Rig } from './rig.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

/** One role alone in a process. */
type Role = 'api' | 'pool' | 'worker';

/** A deployment whose roles are processes of their own, beside a simulated network that is another. */
export interface RoleProcesses {
  deployment: Deployment;
  network: ServerProcess;
  /** Where the network writes what happened on it, a fact a line. */
  journal: string;
  /** Starts a process; `close` stops it if it still runs. */
  start(role: Role, settings?: Readonly<Record<string, string>>): Promise<ServerProcess>;
  /** An access token of the first key. */
  token(api: ServerProcess): Promise<string>;
  close(): Promise<void>;
}

/** On a database of its own by this name; the network is there, no role yet. */
export async function openRoleProcesses(rig: Rig, name: string): Promise<RoleProcesses> {
  const { directory } = rig;
  const deployment = newDeployment(await createDatabase(rig, name));
  const ends = new AsyncDisposableStack();
  const dataDir = join(directory, name);
  let processes = 0;
  const start = async (
    roles: Role | 'simulator',
    settings: Readonly<Record<string, string>>,
    execArgs: readonly string[],
  ) => {
    processes += 1;
    const started = await startServerProcess({
      program: parleyProgram,
      log: join(directory, `${name}-${roles}-${processes}.log`),
      execArgs,
      environment: { ...deploymentEnvironment(deployment), ROLES: roles, DATA_DIR: dataDir, ...settings },
    });
    ends.defer(() => started.stop());
    return started;
  };
  const network = await start('simulator', {}, []);
  return {
    deployment,
    network,
    journal: join(dataDir, 'simulator', 'journal.jsonl'),
    start: (role, settings = {}) => start(role, { SIMULATOR_URL: network.url, ...settings }, rig.execArgs),
    token: ({ url }) => exchange(url, deployment.key),
    close: () => ends.disposeAsync(),
  };
}
