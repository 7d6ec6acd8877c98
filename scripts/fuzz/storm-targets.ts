import type { CreateObject } from '../../server/test/openapi/create-object.ts';
import { readCreatedId } from '../../server/test/openapi/create-object.ts';
import { type Draw, oneOf } from '../../server/test/openapi/draw.ts';
import type { ApiOperation } from '../../server/test/openapi/operations.ts';
import type { References } from '../../server/test/openapi/sample-values.ts';
import type { WireResponse } from '../../server/test/openapi/wire.ts';
import type { SetupClient } from './setup-client.ts';

/** The few objects that all workers use: objects of two teams, existing or just deleted. */
export interface StormTargets {
  choose(draw: Draw): References;
  /** Records created objects, and replaces a deleted team by a new one. */
  record(operation: ApiOperation, references: References, response: WireResponse): Promise<void>;
}

/** The ids of one team's objects by collection, the newest last. */
type Target = Map<string, string[]>;

/** A small number, so that workers collide. */
const idsPerCollection = 3;

export async function createStormTargets(
  createObject: CreateObject,
  setup: SetupClient,
): Promise<StormTargets> {
  const createTarget = async (): Promise<Target> => {
    const { team } = await setup.call('POST', '/teams', {
      user: { name: 'Ada', email: 'ada@example.com' },
      team: { name: 'In the storm', plan_name: 'enterprise' },
    });
    const references: Record<string, string> = { teams: team.id, plans: 'storm', versions: '1' };
    for (const collection of ['documents', 'bots', 'devices'])
      references[collection] = await createObject(collection, references);
    return new Map(Object.entries(references).map(([collection, id]) => [collection, [id]]));
  };
  const targets = [await createTarget(), await createTarget()];
  const indexOf = (team: string | undefined) =>
    targets.findIndex((target) => team !== undefined && target.get('teams')?.[0] === team);

  return {
    choose: (draw) =>
      Object.fromEntries(
        [...oneOf(draw, targets)].map(([collection, ids]) => [collection, oneOf(draw, ids)]),
      ),
    async record({ id, method, path, pathParameters }, references, response) {
      if (response.status !== 200) return;
      if (id === 'deleteTeam') {
        const index = indexOf(references['teams']);
        if (index !== -1) targets[index] = await createTarget();
      } else if (method === 'POST' && pathParameters.length === 0) {
        const collection = path.split('/').at(-1) ?? '';
        const ids = targets[indexOf(references['teams'])]?.get(collection);
        const created = readCreatedId(response);
        if (ids === undefined || created === null || collection === 'teams') return;
        ids.push(created);
        ids.splice(0, ids.length - idsPerCollection);
      }
    },
  };
}
