import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ActionService, startActionService } from './action-service.ts';
import { type ChaosDatabase, type ChaosServer, startChaosServer } from './database.ts';
import { type Deployment, startDeployment } from './deployment.ts';
import { createPartner, type Partner } from './partner.ts';
import { createPhones, type NetworkPhones } from './phones.ts';
import { removeReachedPoint, selectNextFaultPoints } from './plan-fault-points.ts';
import { type ServerName, serverNames } from './processes.ts';
import type { ProcessExit } from './supervised-process.ts';

/** The processes and clients that seeds run on, one seed after another. */
export interface Environment {
  server: ChaosServer;
  database: ChaosDatabase;
  deployment: Deployment;
  service: ActionService;
  phones: NetworkPhones;
  partner: Partner;
  /** The fault points that each process has not reached yet. */
  armedPoints: Map<ServerName, string[]>;
  /** Unplanned exits and exits at fault points during the current seed. */
  exits: ProcessExit[];
  /** Contains the logs of all processes. */
  folder: string;
  /** `keepLogs` keeps the folder, to analyse a failed seed. */
  close(options: { keepLogs: boolean }): Promise<void>;
}

export interface EnvironmentOptions {
  /** Answers with a language model and the provider of the product, instead of a fake provider. */
  generating?: boolean;
  /** Gives the database a synchronous standby, which a crash promotes. Such an environment serves one seed. */
  replicated?: boolean;
}

export async function createEnvironment({
  generating = false,
  replicated = false,
}: EnvironmentOptions): Promise<Environment> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'parley-chaos-'));
  // The processes restart often and share compiled code.
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');
  const server = await startChaosServer(serverNames, { isReplicated: replicated });
  opened.defer(() => server.remove());
  const database = await server.createDatabase('chaos');
  opened.defer(() => database.close());
  const service = await startActionService();
  opened.defer(() => service.close());
  const armedPoints: Environment['armedPoints'] = new Map();
  const exits: ProcessExit[] = [];
  const deployment = await startDeployment({
    database,
    folder,
    generating,
    actionHost: service.host,
    armedPoints: (name) => selectNextFaultPoints(armedPoints.get(name) ?? []),
    onExit(exit) {
      exits.push(exit);
      removeReachedPoint(armedPoints, exit);
    },
  });
  opened.defer(() => deployment.release());
  const token = await exchange(deployment);
  const partner = createPartner({ apiUrl: deployment.apiUrl, token });
  // Before anything happens, so that every event must reach the webhook.
  await partner.request('POST', '/webhooks', () => ({
    url: service.webhookUrl,
    events: ['*'],
    ordered: true,
  }));
  const running = opened.move();
  return {
    server,
    database,
    deployment,
    service,
    phones: createPhones(deployment.simulatorUrl),
    partner,
    armedPoints,
    exits,
    folder,
    async close({ keepLogs }) {
      await running.disposeAsync();
      if (!keepLogs) await rm(folder, { recursive: true, force: true });
    },
  };
}

async function exchange({ apiUrl, key }: Deployment): Promise<string> {
  const response = await fetch(`${apiUrl(0)}/api/openapi/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(key),
  });
  const { data } = (await response.json()) as { data: { access_token: string } };
  return data.access_token;
}
