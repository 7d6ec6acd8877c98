import {
  type CreateObject,
  createObjectFactory,
  readCreatedId,
} from '../../server/test/openapi/create-object.ts';
import type { Draw } from '../../server/test/openapi/draw.ts';
import type { References } from '../../server/test/openapi/meanings.ts';
import { type ApiOperation, collectionOf } from '../../server/test/openapi/operations.ts';
import type { SampleFiles } from '../../server/test/openapi/requests.ts';
import type { Wire, WireResponse } from '../../server/test/openapi/wire.ts';
import { createSpares } from './spare-resources.ts';
import { furnishPlaces, type Places } from './targets.ts';
import { connectUpkeep, type Key, type Upkeep } from './upkeep.ts';

/** The living objects that requests are about. */
export interface World {
  tokens: Tokens;
  places: Places;
  /** What the next request of an operation is about; makes what is missing. */
  prepare(operation: ApiOperation): Promise<References>;
  /** Takes note of what a request has created or failed to delete. */
  learn(operation: ApiOperation, about: References, response: WireResponse): void;
}

interface Tokens {
  global: string;
  /** Of a key that sees the home team alone. */
  team: string;
  /** Of a key that has been deactivated. */
  dead: string;
}

export interface WorldMaker {
  operations: readonly ApiOperation[];
  upkeep: Upkeep;
  make: CreateObject;
}

const prefix = '/api/openapi/v1';

/** Furnishes a service that has just been started. */
export async function createWorld(options: {
  operations: readonly ApiOperation[];
  wire: Wire;
  key: Key;
  draw: Draw;
  files: SampleFiles;
}): Promise<World> {
  const { operations, wire } = options;
  const { token: global, upkeep, exchange } = await connectUpkeep(wire, options.key);
  // The first file is a plain text, which keeps its extension when its document is renamed.
  const make = createObjectFactory({ ...options, token: global, files: options.files.slice(0, 1) });
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
  credentials: References,
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
      const id = readCreatedId(response);
      if (id !== null && isAtHome(response, home)) spares.add(collection, id);
    },
  };
}

const isAtHome = ({ json }: WireResponse, home: References): boolean => {
  const team = (json as { data?: { team_id?: string } }).data?.team_id;
  return team === undefined || team === home['teams'];
};
