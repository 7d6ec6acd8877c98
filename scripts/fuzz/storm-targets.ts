import type { CreateObject } from '../../server/test/openapi/create-object.ts';
import { readCreatedId } from '../../server/test/openapi/create-object.ts';
import { type Draw, oneOf } from '../../server/test/openapi/draw.ts';
import type { References } from '../../server/test/openapi/meanings.ts';
import type { ApiOperation } from '../../server/test/openapi/operations.ts';
import type { WireResponse } from '../../server/test/openapi/wire.ts';
import type { Upkeep } from './upkeep.ts';

/** The few objects that all lanes are about: of two teams, alive or deleted a moment ago. */
export interface StormPlaces {
  about(draw: Draw): References;
  /** Takes note of what was created; puts another team in the place of one that was deleted. */
  learn(operation: ApiOperation, about: References, response: WireResponse): Promise<void>;
}

/** Ids by collection, the newest last. */
type Place = Map<string, string[]>;

/** Older ones are forgotten, so that lanes meet. */
const remembered = 3;

export async function createStormPlaces(make: CreateObject, upkeep: Upkeep): Promise<StormPlaces> {
  const furnish = async (): Promise<Place> => {
    const { team } = await upkeep.call('POST', '/teams', {
      user: { name: 'Ada', email: 'ada@example.com' },
      team: { name: 'In the storm', plan_name: 'enterprise' },
    });
    const about: Record<string, string> = { teams: team.id, plans: 'storm', versions: '1' };
    for (const collection of ['documents', 'bots', 'devices'])
      about[collection] = await make(collection, about);
    return new Map(Object.entries(about).map(([collection, id]) => [collection, [id]]));
  };
  const places = [await furnish(), await furnish()];
  const placeOf = (team: string | undefined) =>
    places.findIndex((place) => team !== undefined && place.get('teams')?.[0] === team);

  return {
    about: (draw) =>
      Object.fromEntries([...oneOf(draw, places)].map(([collection, ids]) => [collection, oneOf(draw, ids)])),
    async learn({ id, method, path, pathParameters }, about, response) {
      if (response.status !== 200) return;
      if (id === 'deleteTeam') {
        const gone = placeOf(about['teams']);
        if (gone !== -1) places[gone] = await furnish();
      } else if (method === 'POST' && pathParameters.length === 0) {
        const collection = path.split('/').at(-1) ?? '';
        const ids = places[placeOf(about['teams'])]?.get(collection);
        const created = readCreatedId(response);
        if (ids === undefined || created === null || collection === 'teams') return;
        ids.push(created);
        ids.splice(0, ids.length - remembered);
      }
    },
  };
}
