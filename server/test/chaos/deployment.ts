import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { main } from '../../../scripts/demo/service-process.ts';
import { testEncryptionKey } from '../harness.ts';
import { reservePort } from '../reserved-port.ts';
import type { ChaosDatabase } from './database.ts';
import { type ExternalName, externalNames, getRole, type ServerName, serverNames } from './processes.ts';
import { type ProcessExit, SupervisedProcess } from './supervised-process.ts';

/** All processes: two of each server role, the simulator and the provider. */
export interface Deployment {
  process(name: ServerName | ExternalName): SupervisedProcess;
  /** A ready API for the n-th attempt of a caller. */
  apiUrl(n: number): string;
  simulatorUrl(): string;
  /** Settings of the configured language model; null if the fake replaces the whole provider. */
  modelSettings: Readonly<Record<string, string>> | null;
  providerUrl(): string;
  /** Folders of the simulator's and the provider's logs. */
  logs: { simulator: string; provider: string };
  /** Shared by the server's processes. */
  dataDir: string;
  key: { key_id: string; key_secret: string };
  release(): Promise<void>;
}

export const leaseSeconds = 3;

const serverEntry = fileURLToPath(new URL('./server-program.ts', import.meta.url));
const providerEntry = fileURLToPath(new URL('./provider/provider-process.ts', import.meta.url));
const key = { key_id: 'pk_chaos_tests', key_secret: 'sk_chaos_tests' };

/** Starts all processes in `folder` and waits until they are ready. */
export async function startDeployment(options: {
  database: ChaosDatabase;
  folder: string;
  /** Answers with a language model, which the provider's process serves. */
  generating: boolean;
  /** `host:port` of the action service. */
  actionHost: string;
  /** The fault points (`name@N`) of a process when it starts next. */
  armedPoints: (name: ServerName) => readonly string[];
  onExit: (exit: ProcessExit) => void;
}): Promise<Deployment> {
  const { folder } = options;
  const dataDir = join(folder, 'data');
  const logs = { simulator: join(folder, 'simulator', 'simulator'), provider: join(folder, 'provider') };
  await mkdir(dataDir, { recursive: true });
  const supervise = (
    name: string,
    more: Pick<ConstructorParameters<typeof SupervisedProcess>[0], 'launch' | 'armedPoints'>,
  ) =>
    new SupervisedProcess({
      name,
      ...more,
      onExit: options.onExit,
      logFile: join(folder, `${name}.log`),
    });
  // A server with an API, the simulator and the provider keep their ports over restarts. Otherwise a caller of a killed
  // process could reach a process of another test.
  const ports = new Map(
    await Promise.all(
      [...serverNames.filter((name) => getRole(name) === 'api'), ...externalNames].map(
        async (name) => [name as string, await reservePort()] as const,
      ),
    ),
  );
  const portOf = (name: string) => String(ports.get(name)?.port ?? 0);
  const external: Record<ExternalName, SupervisedProcess> = {
    simulator: supervise('simulator', {
      armedPoints: () => [],
      launch: () => ({
        args: [main],
        environment: {
          ROLES: 'simulator',
          DATA_DIR: join(folder, 'simulator'),
          SIMULATOR_PORT: portOf('simulator'),
        },
      }),
    }),
    provider: supervise('provider', {
      armedPoints: () => [],
      launch: () => ({
        args: [providerEntry, logs.provider, portOf('provider')],
        environment: {},
      }),
    }),
  };
  await startAll(Object.values(external));
  const [simulatorUrl, providerUrl] = [
    addressOf(external.simulator, 'simulator'),
    addressOf(external.provider, 'provider'),
  ];
  const modelSettings = options.generating
    ? {
        ASSISTANT_PROVIDER: 'openai-compatible',
        MODEL_BASE_URL: `${providerUrl}/v1`,
        MODEL_LEVEL_1: 'chaos',
      }
    : null;
  const servers = new Map(
    serverNames.map((name) => [
      name,
      supervise(name, {
        armedPoints: () => options.armedPoints(name),
        launch: () => ({
          args: [serverEntry],
          environment: {
            ROLES: getRole(name),
            PORT: portOf(name),
            DATA_DIR: dataDir,
            DATABASE_URL: options.database.urlFor(name),
            DATABASE_POOL_SIZE: '8',
            SIMULATOR_URL: simulatorUrl,
            ...(modelSettings ?? { PROVIDER_URL: providerUrl }),
            LEASE_SECONDS: String(leaseSeconds),
            RATE_LIMIT_PER_MINUTE: '0',
            ACTION_ALLOWED_HOSTS: options.actionHost,
            WEBHOOK_ALLOWED_HOSTS: options.actionHost,
            ENCRYPTION_KEY: Buffer.from(testEncryptionKey).toString('base64'),
            BOOTSTRAP_KEY_ID: key.key_id,
            BOOTSTRAP_KEY_SECRET: key.key_secret,
          },
        }),
      }),
    ]),
  );
  await startAll([...servers.values()]);
  const apis = serverNames
    .filter((name) => getRole(name) === 'api')
    .map((name) => found(servers.get(name), name));
  return {
    process: (name) => found(isExternal(name) ? external[name] : servers.get(name), name),
    apiUrl(n) {
      const ready = apis.filter(({ isReady }) => isReady);
      const chosen = ready[n % ready.length] ?? apis[n % apis.length];
      return chosen?.addresses['api'] ?? '';
    },
    simulatorUrl: () => simulatorUrl,
    modelSettings,
    providerUrl: () => providerUrl,
    logs,
    dataDir,
    key,
    async release() {
      await Promise.all([...servers.values(), ...Object.values(external)].map((one) => one.release()));
      await Promise.all([...ports.values()].map((one) => one.release()));
    },
  };
}

async function startAll(processes: readonly SupervisedProcess[]): Promise<void> {
  for (const process of processes) process.start();
  await Promise.all(processes.map((process) => process.waitUntilReady()));
}

const addressOf = (process: SupervisedProcess, role: string): string => found(process.addresses[role], role);

const isExternal = (name: string): name is ExternalName => externalNames.some((known) => known === name);

function found<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new Error(`there is no ${name}`);
  return value;
}
