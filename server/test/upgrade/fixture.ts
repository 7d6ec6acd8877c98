import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { eventually } from '../eventually.ts';

/** The contents of `fixture.json`: responses of the old version, for comparison after the upgrade. */
export interface Fixture {
  version: string;
  /** The newest migration of that version. */
  schema: number;
  /** All timestamps of the fixture are before this. */
  madeAt: string;
  key: { key_id: string; key_secret: string };
  /** A token of `key`, expired by now. */
  accessToken: string;
  teamKey: { key_id: string; key_secret: string; team_id: string };
  teamId: string;
  botId: string;
  draftBotId: string;
  deviceId: string;
  phone: string;
  contact: string;
  questions: Record<'pair' | 'document' | 'action', string>;
  answers: Record<'pair' | 'document' | 'action', string[]>;
  /** A request with a stored result. */
  replay: { path: string; key: string; body: object; result: unknown };
  document: { id: string; sha256: string };
  usage: Record<string, unknown>;
  /** The `data` of GET requests, by path. */
  reads: Record<string, unknown>;
}

export const fixtureFolder = (version: string): string => join(import.meta.dirname, 'fixtures', version);

export const readFixture = async (version: string): Promise<Fixture> =>
  JSON.parse(await readFile(join(fixtureFolder(version), 'fixture.json'), 'utf8'));

export const secretHeader = { key: 'X-Shop', value: 'port-alder' };

/** The published bot contains this address, so the port is fixed. It is below the ports that `reservePort` uses. */
const actionPort = 19_471;
export const actionHost = `127.0.0.1:${actionPort}`;

/** Starts the partner's service that the fixture's action calls. Waits while another test run uses the port. */
export async function startActionService() {
  const requests: { url: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? '', headers: request.headers });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ status: 'active', bike: 'electric bike E-1207' }));
  });
  await eventually(async () => {
    server.listen(actionPort, '127.0.0.1');
    await once(server, 'listening');
  }, 60_000);
  return {
    requests,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Returns the texts that a contact received from the device, in order, with repeated copies. */
export async function readFixtureChat(
  call: (method: string, path: string) => Promise<{ body: { data: unknown } }>,
  device: string,
  contact: string,
): Promise<string[]> {
  const { body } = await call('GET', `/simulator/messages?${new URLSearchParams({ contact, device })}`);
  // The simulator's own shape.
  const chat = body.data as { direction: string; text: string; copies: number }[];
  return chat
    .filter(({ direction }) => direction === 'out')
    .flatMap(({ text, copies }) => Array<string>(copies).fill(text));
}
