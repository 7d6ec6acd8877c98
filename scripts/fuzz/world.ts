import type { Draw } from '../../server/test/openapi/draw.ts';
import type { Referents } from '../../server/test/openapi/meanings.ts';
import { type ApiOperation, collectionOf } from '../../server/test/openapi/operations.ts';
import { drawRequest, type SampleFiles } from '../../server/test/openapi/requests.ts';
import { type Wire, type WireResponse, writeOut } from '../../server/test/openapi/wire.ts';
import { furnishPlaces, type Places } from './places.ts';
import { createSpares } from './spares.ts';
import { createUpkeep, type Upkeep } from './upkeep.ts';

/** The living objects that requests are about. */
export interface World {
  tokens: Tokens;
  places: Places;
  /** What the next request of an operation is about; makes what is missing. */
  prepare(operation: ApiOperation): Promise<Referents>;
  /** Takes note of what a request has created or failed to delete. */
  learn(operation: ApiOperation, about: Referents, response: WireResponse): void;
}

export interface Tokens {
  global: string;
  /** Of a key that sees the home team alone. */
  team: string;
  /** Of a key that has been deactivated. */
  dead: string;
}

export interface WorldMaker {
  operations: readonly ApiOperation[];
  upkeep: Upkeep;
  /** Creates an object by a request such as the fuzzed ones; answers its id. */
  make(collection: string, referents: Referents): Promise<string>;
}

const prefix = '/api/openapi/v1';

/** Furnishes a service that has just been started. */
export async function createWorld(options: {
  operations: readonly ApiOperation[];
  wire: Wire;
  key: { key_id: string; key_secret: string };
  draw: Draw;
  files: SampleFiles;
}): Promise<World> {
  const { operations, wire } = options;
  let token: string | null = null;
  const send = (method: string, path: string, body?: unknown) =>
    wire.send({
      method,
      target: /^\/(api|simulator)\//.test(path) ? path : prefix + path,
      headers: [
        ...(token === null ? [] : ['authorization', `Bearer ${token}`]),
        ...(body === undefined ? [] : ['content-type', 'application/json']),
      ],
      body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
    });
  const upkeep = createUpkeep(send);
  const exchange = async (key: { key_id: string; key_secret: string }): Promise<string> =>
    (
      await upkeep.call('POST', '/api/openapi/auth/token', {
        key_id: key.key_id,
        key_secret: key.key_secret,
      })
    ).access_token;
  const global = await exchange(options.key);
  token = global;

  const make: WorldMaker['make'] = async (collection, referents) => {
    const operation = operations.find(
      ({ method, path }) => method === 'POST' && path === `${prefix}/${collection}`,
    );
    if (operation === undefined) throw new Error(`no operation creates anything in ${collection}`);
    const request = drawRequest(operation, referents, options.draw, options.files);
    const response = await wire.send(writeOut(request, global));
    const id = createdId(response);
    if (id === null) throw new Error(`making one of ${collection}: ${response.status} ${response.text}`);
    return id;
  };
  const places = await furnishPlaces({ operations, upkeep, make });
  const issueKey = async (key: object) => upkeep.call('POST', '/api-keys', { name: 'Fuzz', ...key });
  const dead = await issueKey({});
  const tokens = {
    global,
    team: await exchange(await issueKey({ scope: 'team', team_id: places.home['teams'] })),
    dead: await exchange(dead),
  };
  await upkeep.call('PATCH', `/api-keys/${dead.key_id}`, { is_active: false });
  const credentials = { keys: options.key.key_id, secrets: options.key.key_secret };
  return { tokens, places, ...occupy(places, credentials, { operations, upkeep, make }) };
}

function occupy(
  { home, sender }: Places,
  credentials: Referents,
  maker: WorldMaker,
): Pick<World, 'prepare' | 'learn'> {
  const spares = createSpares(home, maker);
  return {
    async prepare(operation) {
      const about: Record<string, string | undefined> = { ...home, ...credentials };
      // Sending takes a connected device.
      if (operation.body?.properties?.['device_id'] !== undefined) about['devices'] = sender;
      for (const parameter of operation.pathParameters) {
        const collection = collectionOf(operation, parameter);
        about[collection] = await spares.choose(operation, collection);
      }
      return about;
    },
    learn(operation, about, response) {
      const [, collection = ''] = new RegExp(`^${prefix}/([a-z-]+)`).exec(operation.path) ?? [];
      if (operation.method === 'DELETE') {
        const id = about[collection];
        if (response.status !== 200 && id !== undefined) spares.add(collection, id);
        return;
      }
      if (operation.path !== `${prefix}/${collection}` && operation.method !== 'PUT') return;
      const id = createdId(response);
      if (id !== null && isAtHome(response, home)) spares.add(collection, id);
    },
  };
}

interface Created {
  data?: { id?: string; key_id?: string; name?: string; team_id?: string; team?: { id?: string } };
}

/** The id of what a creation answers; a plan's is its name. */
function createdId({ status, json }: WireResponse): string | null {
  const { data } = (json ?? {}) as Created;
  if (status !== 200 || data === undefined || Array.isArray(data)) return null;
  return data.id ?? data.team?.id ?? data.key_id ?? data.name ?? null;
}

const isAtHome = ({ json }: WireResponse, home: Referents): boolean => {
  const team = (json as Created).data?.team_id;
  return team === undefined || team === home['teams'];
};
