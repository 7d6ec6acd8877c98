import { newId } from '../../server/src/platform/shared/ids.ts';
import type { ApiOperation } from '../../server/test/openapi/operations.ts';
import type { References } from '../../server/test/openapi/sample-values.ts';
import { planTerms, type ResourceFactory } from './setup-client.ts';

/** Objects of the home team that requests may change and delete, by collection. */
export interface SpareResources {
  add(collection: string, id: string): void;
  /** Returns an object for an operation's path. Removes it for a deletion, and creates it if there is none. */
  choose(operation: ApiOperation, collection: string): Promise<string>;
}

const maxKept = 50;

/** Collections whose home object must stay unchanged. */
const protectedCollections = new Set(['teams', 'api-keys', 'plans', 'hosts']);

/** The quotas that an object of a collection needs. */
const quotasOf: Readonly<Record<string, string[]>> = {
  members: ['members'],
  bots: ['bots'],
  devices: ['accounts'],
  documents: ['documents', 'characters'],
};

/**
 * Requests never find these: draining the run's pool would end all devices, no operation creates actions alone, and the networks of the run
 * have no templates.
 */
const unknownCollections = new Set(['pools', 'actions', 'templates']);

export function createSpareResources(
  home: References,
  { setup, createObject }: ResourceFactory,
): SpareResources {
  const kept = new Map<string, string[]>();
  let named = 0;
  const idsOf = (collection: string): string[] => {
    const ids = kept.get(collection) ?? [];
    kept.set(collection, ids);
    return ids;
  };

  /** Collections whose objects a PUT creates, by name. */
  const createNamed: Readonly<Record<string, () => Promise<string>>> = {
    async plans() {
      named += 1;
      const name = `spare-${named}`;
      await setup.call('PUT', `/plans/${name}`, planTerms(1));
      return name;
    },
    async hosts() {
      named += 1;
      const name = `spare-${named}.example`;
      await setup.call('PUT', `/hosts/${name}`, { team_id: home['teams'] });
      return name;
    },
  };

  const take = async (collection: string): Promise<string> => {
    const id = idsOf(collection).shift();
    if (id !== undefined) return id;
    // Requests change the quotas of the team.
    const quotas = quotasOf[collection]?.map((quota) => [quota, 1_000_000]);
    if (quotas !== undefined)
      await setup.call('PATCH', `/teams/${home['teams']}`, { quotas: Object.fromEntries(quotas) });
    return createNamed[collection]?.() ?? createObject(collection, home);
  };
  const peek = async (collection: string): Promise<string> => {
    const id = await take(collection);
    add(collection, id);
    return id;
  };
  const add = (collection: string, id: string): void => {
    const ids = idsOf(collection);
    if (ids.length < maxKept && !ids.includes(id)) ids.push(id);
  };

  const stop = async (id: string): Promise<string> => {
    await setup.call('POST', `/devices/${id}/stop`);
    return id;
  };

  return {
    add,
    async choose({ id, method }, collection) {
      if (id === 'deleteDevice') return stop(await take('devices'));
      if (id === 'connectDevice') return stop(await peek('devices'));
      if (unknownCollections.has(collection)) return newId();
      if (method === 'DELETE') return take(collection);
      const changesState = method === 'POST' && collection === 'devices';
      const fixed = protectedCollections.has(collection) || changesState ? undefined : home[collection];
      return fixed ?? peek(collection);
    },
  };
}
