import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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

type Role = 'api' | 'pool' | 'worker';

/** A deployment whose roles and simulated network are separate processes. */
export interface RoleProcesses {
  deployment: Deployment;
  network: ServerProcess;
  /** The network's journal file, with one fact per line. */
  journal: string;
  /** Starts a process. `close` stops it if it still runs. */
  start(
    role: Role,
    settings?: Readonly<Record<string, string>>,
    execArgs?: readonly string[],
  ): Promise<ServerProcess>;
  /** Returns an access token of the first key. */
  token(api: ServerProcess): Promise<string>;
  close(): Promise<void>;
}

interface LinkedDevice {
  credential: string;
  phone: string;
}

/** Creates a database of this name and starts the network, but no role yet. */
export async function openRoleProcesses(
  rig: Rig,
  name: string,
  linked: readonly LinkedDevice[] = [],
): Promise<RoleProcesses> {
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
  const journal = join(dataDir, 'simulator', 'journal.jsonl');
  if (linked.length > 0) await writeLinks(journal, linked);
  const network = await start('simulator', {}, []);
  return {
    deployment,
    network,
    journal,
    start: (role, settings = {}, execArgs = []) =>
      start(role, { SIMULATOR_URL: network.url, ...settings }, [...rig.execArgs, ...execArgs]),
    token: ({ url }) => exchange(url, deployment.key),
    close: () => ends.disposeAsync(),
  };
}

/** Writes the pairings of the devices to the journal, which the network reads at its start. */
async function writeLinks(journal: string, linked: readonly LinkedDevice[]): Promise<void> {
  await mkdir(dirname(journal), { recursive: true });
  const facts = linked.map((device) => ({ type: 'linked', at: new Date().toISOString(), ...device }));
  await writeFile(journal, facts.map((fact) => `${JSON.stringify(fact)}\n`).join(''));
}
