import type { Draw } from '../../../server/test/openapi/draw.ts';
import type { ApiOperation } from '../../../server/test/openapi/operations.ts';
import type { ApiRequest } from '../../../server/test/openapi/requests.ts';
import type { WireRequest } from '../../../server/test/openapi/wire.ts';
import type { Resources } from '../resources.ts';

/** One way to make a request invalid or unusual. */
export interface Mutator {
  name: string;
  applies(operation: ApiOperation): boolean;
  mutate(input: MutationInput): MutatedRequest;
}

export interface MutationInput {
  /** A valid request. */
  request: ApiRequest;
  draw: Draw;
  resources: Pick<Resources, 'tokens' | 'targets'>;
}

export interface MutatedRequest {
  wire: WireRequest;
  /** The correct statuses. */
  expect: readonly number[];
  /** True when the request reaches no operation. */
  missesRoute?: boolean;
}

/** The statuses that an operation may return to a global key's request, valid or not. */
export const allowedStatuses = ({ open, statuses }: ApiOperation): readonly number[] => [
  200,
  400,
  ...(open && statuses.includes(401) ? [401] : []),
  ...(statuses.includes(404) ? [404] : []),
];
