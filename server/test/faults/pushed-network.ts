import { after } from 'node:test';
import { openTestContext, startApiOn } from '../harness.ts';
import { startTestNetwork } from '../simulated-network.ts';
import { createTestDatabase } from '../test-database.ts';
import { type Call, createCaller, createPartnerFixture } from './partner-fixture.ts';
import { type ServerProcess, serverProcesses } from './server-process.ts';

/** Waits of these tests include restarts. */
export const longMs = 60_000;

export const signals = [
  { name: 'SIGKILL', suffix: '' },
  { name: 'SIGTERM', suffix: ':SIGTERM' },
] as const;

export interface ListedMessage {
  id: string;
  direction: 'in' | 'out';
  status: string;
  text: string;
}

/** A service in one process, which a test ends at fault points, with a device of a network that pushes its events. */
export interface PushedNetworkFixture {
  call: Call;
  deviceId: string;
  /** The address of the present process. */
  url(): string;
  /** Resolves when the present process ends. */
  ended(): Promise<unknown>;
  /** Kills the process and starts another, which ends at the fault point. */
  restart(faultPoint?: string): Promise<void>;
  /** The messages with a contact, oldest first. */
  listChat(contact: string): Promise<ListedMessage[]>;
}

export async function startPushedNetwork(
  network: 'web' | 'telegram' | 'whatsapp_cloud',
  environment: Readonly<Record<string, string>> = {},
): Promise<PushedNetworkFixture> {
  const database = await createTestDatabase();
  after(() => database.drop());
  const simulated = await startTestNetwork();
  after(() => simulated.close());
  const oracle = await openTestContext(database.url);
  after(() => oracle.close());
  const { key } = await startApiOn(oracle);
  const processes = await serverProcesses({
    ROLES: 'api,pool,worker',
    DATABASE_URL: database.url,
    SIMULATOR_URL: simulated.url,
    MESSAGING_NETWORK: `simulator,${network}`,
    LEASE_SECONDS: '1',
    RATE_LIMIT_PER_MINUTE: '0',
    ...environment,
  });
  let server: ServerProcess = await processes.start();
  const call = createCaller(
    () => server.url,
    () => key.token,
  );
  const { teamId, botId } = await createPartnerFixture(call, simulated);
  const device = { team_id: teamId, bot_id: botId, name: 'Desk', network };
  const deviceId: string = (await call('POST', '/devices', device))?.body.data.id;
  return {
    call,
    deviceId,
    url: () => server.url,
    ended: () => server.ended,
    async restart(faultPoint) {
      await server.kill();
      // The process may reach the point before it is ready.
      server = await processes
        .start(faultPoint === undefined ? {} : { FAULT_POINT: faultPoint })
        .catch(() => processes.start());
    },
    async listChat(contact) {
      const query = new URLSearchParams({ device_id: deviceId, contact_number: contact });
      const response = await call('GET', `/messages?${query}`);
      return ((response?.body.data ?? []) as ListedMessage[]).toReversed();
    },
  };
}
