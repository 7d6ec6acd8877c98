import type { References } from '../../server/test/openapi/meanings.ts';
import type { ApiOperation } from '../../server/test/openapi/operations.ts';
import type { WorldMaker } from './resources.ts';

/** Objects of the home team that may be changed and deleted, by collection. */
export interface Spares {
  add(collection: string, id: string): void;
  /** What an operation's path names: taken out for a deletion, made when there is none. */
  choose(operation: ApiOperation, collection: string): Promise<string>;
}

/** More are let go, so that lists do not grow without end. */
const keptAtMost = 50;

/** Collections whose objects at home must stay as they are. */
const untouchable = new Set(['teams', 'api-keys', 'plans']);

export function createSpares(home: References, { upkeep, make }: WorldMaker): Spares {
  const kept = new Map<string, string[]>();
  let plans = 0;
  const idsOf = (collection: string): string[] => {
    const ids = kept.get(collection) ?? [];
    kept.set(collection, ids);
    return ids;
  };

  const take = async (collection: string): Promise<string> => {
    const id = idsOf(collection).shift();
    if (id !== undefined) return id;
    return collection === 'plans' ? makePlan() : make(collection, home);
  };
  const peek = async (collection: string): Promise<string> => {
    const id = await take(collection);
    add(collection, id);
    return id;
  };
  const add = (collection: string, id: string): void => {
    const ids = idsOf(collection);
    if (ids.length < keptAtMost && !ids.includes(id)) ids.push(id);
  };

  const makePlan = async (): Promise<string> => {
    plans += 1;
    const name = `spare-${plans}`;
    await upkeep.call('PUT', `/plans/${name}`, planTerms(1));
    return name;
  };
  const stopped = async (id: string): Promise<string> => {
    await upkeep.call('POST', `/devices/${id}/stop`);
    return id;
  };

  return {
    add,
    async choose({ id, method }, collection) {
      if (id === 'deleteDevice') return stopped(await take('devices'));
      if (id === 'connectDevice') return stopped(await peek('devices'));
      if (method === 'DELETE') return take(collection);
      const changesState = method === 'POST' && collection === 'devices';
      const fixed = untouchable.has(collection) || changesState ? undefined : home[collection];
      return fixed ?? peek(collection);
    },
  };
}

/** A plan that allows so many active messages a month. */
export const planTerms = (activeMessages: number) => ({
  features: { allowActiveMessaging: true },
  active_messages_monthly: activeMessages,
  paying: true,
  quotas: { bots: 9, accounts: 9, characters: 9_000_000, documents: 9, members: 9, credits: 9 },
});
