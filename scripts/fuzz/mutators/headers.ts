import { oneOf } from '../../../server/test/openapi/draw.ts';
import { encodeRequest } from '../../../server/test/openapi/wire.ts';
import { allowedStatuses, type Mutator } from './mutator.ts';

const longHeader: Mutator = {
  name: 'long header',
  applies: () => true,
  mutate({ request, draw, resources }) {
    const wire = encodeRequest(request, resources.tokens.global);
    const length = oneOf(draw, [8_000, 17_000, 70_000]);
    const fits = length < 16_000;
    return {
      wire: { ...wire, headers: [...wire.headers, 'x-long', 'x'.repeat(length)] },
      expect: fits ? allowedStatuses(request.operation) : [400],
      missesRoute: !fits,
    };
  },
};

const badIdempotencyKey: Mutator = {
  name: 'bad Idempotency-Key',
  applies: ({ idempotent }) => idempotent,
  mutate({ request, draw, resources }) {
    const wire = encodeRequest({ ...request, headers: {} }, resources.tokens.global);
    const key = oneOf(draw, ['', 'x'.repeat(256), '\u00ff', 'a\tb']);
    return { wire: { ...wire, headers: [...wire.headers, 'idempotency-key', key] }, expect: [400] };
  },
};

const strangeHeaders: Mutator = {
  name: 'strange headers',
  applies: () => true,
  mutate({ request, draw, resources }) {
    const wire = encodeRequest(request, resources.tokens.global);
    const [name, value] = oneOf(draw, [
      ['x-request-id', 'x'.repeat(200)],
      ['x-request-id', 'a b<script>'],
      ['accept', 'text/html'],
      ['accept-encoding', 'br;q=9, nonsense'],
      ['if-none-match', '*'],
      ['range', 'bytes=0-1,5-'],
      ['x-http-method-override', 'DELETE'],
      ['x-forwarded-for', "127.0.0.1, ' or 1=1"],
      ['cookie', 'a=b; __proto__=1'],
      ['accept-version', '9.9.9'],
    ] as const);
    return {
      wire: { ...wire, headers: [...wire.headers, name, value] },
      expect: allowedStatuses(request.operation),
    };
  },
};

export const headerMutators: readonly Mutator[] = [longHeader, badIdempotencyKey, strangeHeaders];
