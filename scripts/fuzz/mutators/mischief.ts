import type { Draw } from '../../../server/test/openapi/draw.ts';
import type { ApiOperation } from '../../../server/test/openapi/operations.ts';
import type { ApiRequest } from '../../../server/test/openapi/requests.ts';
import type { WireRequest } from '../../../server/test/openapi/wire.ts';
import type { World } from '../resources.ts';

/** One way of being hostile. */
export interface Mischief {
  name: string;
  applies(operation: ApiOperation): boolean;
  /** Makes a hostile request of one that would be accepted. */
  commit(scene: Scene): Deed;
}

export interface Scene {
  /** One that would be accepted. */
  request: ApiRequest;
  draw: Draw;
  world: Pick<World, 'tokens' | 'places'>;
}

export interface Deed {
  wire: WireRequest;
  /** The statuses that are right. */
  expect: readonly number[];
  /** It does not reach the operation, but a route that is not there. */
  astray?: boolean;
}

/** What an operation may answer, by its rules, to a request of a global key that may or may not be good. */
export const outcomesOf = ({ open, statuses }: ApiOperation): readonly number[] => [
  200,
  400,
  ...(open ? [401] : []),
  ...(statuses.includes(404) ? [404] : []),
];
