import fc from 'fast-check';
import { oneOf } from '../../../server/test/openapi/draw.ts';
import type { ApiOperation } from '../../../server/test/openapi/operations.ts';
import type { ApiRequest } from '../../../server/test/openapi/requests.ts';
import { encodeRequest } from '../../../server/test/openapi/wire.ts';
import { type Deed, type Mischief, outcomesOf, type Scene } from './mischief.ts';

const hasPath = ({ pathParameters }: ApiOperation) => pathParameters.length > 0;

/** Where 404 is not declared, the operation makes what its path names. */
const findsByPath = (operation: ApiOperation) => hasPath(operation) && operation.statuses.includes(404);

const unknownInPath: Mischief = {
  name: 'unknown id in the path',
  applies: findsByPath,
  commit: (scene) =>
    withPath(scene, {
      id: '019a0000-0000-7000-8000-000000000000',
      keyId: 'pk_none',
      name: 'no-plan',
    }),
};

const strangeInPath: Mischief = {
  name: 'strange id in the path',
  applies: hasPath,
  commit(scene) {
    const id = oneOf(scene.draw, [
      'zz',
      '0',
      '-1',
      'null',
      'undefined',
      '__proto__',
      'constructor',
      "' or 1=1 --",
      '{id}',
      '*',
      '\u0000',
      'a\u0000b',
      '字典',
      '😀',
      ' ',
      '019a0000-0000-7000-8000-00000000000',
      '019a0000-0000-7000-8000-0000000000000',
      'urn:uuid:019a0000-0000-7000-8000-000000000000',
      '{019a0000-0000-7000-8000-000000000000}',
      'x'.repeat(299),
      'x'.repeat(5000),
    ]);
    return withPath(
      scene,
      Object.fromEntries(scene.request.operation.pathParameters.map((name) => [name, id])),
    );
  },
};

/** What names nothing is not found; a plan is made under a new name, if the name is one. */
function withPath({ request, world }: Scene, path: Record<string, string>): Deed {
  const own = Object.fromEntries(Object.keys(request.path).map((name) => [name, path[name] ?? 'none']));
  return {
    wire: encodeRequest({ ...request, path: own }, world.tokens.global),
    expect: findsByPath(request.operation) ? [404] : [200, 400],
  };
}

const badEncoding: Mischief = {
  name: 'bad encoding in the path',
  applies: hasPath,
  commit({ request, draw, world }) {
    const wire = encodeRequest(request, world.tokens.global);
    const bad = oneOf(draw, ['%', '%zz', '%ff', '%c0%af', '%ed%a0%80', '%00', '..%2f', '%2e%2e']);
    const own = Object.values(request.path)[0] ?? '';
    const target = wire.target.replace(encodeURIComponent(own), bad);
    return { wire: { ...wire, target }, expect: findsByPath(request.operation) ? [404] : [400] };
  },
};

const unknownParameter: Mischief = {
  name: 'unknown query parameter',
  applies: () => true,
  commit({ request, draw, world }) {
    const name = oneOf(draw, [
      'zz',
      'Page',
      'limit[]',
      '__proto__',
      'constructor',
      'hasOwnProperty',
      'id',
      ' ',
      '',
    ]);
    return withQuery(request, world, [...request.query, [name, '1']], [400]);
  },
};

const repeatedParameter: Mischief = {
  name: 'repeated query parameter',
  applies: ({ query }) => query.length > 0,
  commit({ request, draw, world }) {
    const { name } = oneOf(draw, request.operation.query);
    const twice = [name, '1'] as const;
    return withQuery(request, world, [twice, twice], [400]);
  },
};

const outOfRange = [
  '0',
  '-1',
  '1.5',
  '1e3',
  '0x10',
  '',
  ' 1',
  '1 ',
  '+1',
  '01',
  'NaN',
  '9'.repeat(30),
  'true',
  '[1]',
];

const badParameter: Mischief = {
  name: 'bad value of a query parameter',
  applies: ({ query }) => query.length > 0,
  commit({ request, draw, world }) {
    const { name, schema } = oneOf(draw, request.operation.query);
    if (schema.type === 'integer') return withQuery(request, world, [[name, oneOf(draw, outOfRange)]], [400]);
    const isText = schema.type === 'string' && schema.format === undefined;
    const value = oneOf(
      draw,
      isText ? ['\u0000', `a\u0000`] : ['', 'zz', '1', 'TRUE', 'urn:uuid:1', '\u0000'],
    );
    return withQuery(request, world, [[name, value]], [400]);
  },
};

const rawQuery: Mischief = {
  name: 'query that is no query',
  applies: () => true,
  commit({ request, draw, world }) {
    const wire = encodeRequest({ ...request, query: [] }, world.tokens.global);
    const query = oneOf(draw, [
      '%',
      '=',
      '&&&',
      '%zz=%zz',
      '%ff=1',
      '?',
      'a'.repeat(6000),
      '%ed%a0%80=1',
      ';',
    ]);
    return { wire: { ...wire, target: `${wire.target}?${query}` }, expect: outcomesOf(request.operation) };
  },
};

function withQuery(
  request: ApiRequest,
  world: Scene['world'],
  query: ApiRequest['query'],
  expect: readonly number[],
): Deed {
  return { wire: encodeRequest({ ...request, query }, world.tokens.global), expect };
}

const otherMethod: Mischief = {
  name: 'method that the path does not have',
  applies: () => true,
  commit({ request, draw, world }) {
    const wire = encodeRequest(request, world.tokens.global);
    const method = draw(fc.constantFrom('TRACE', 'OPTIONS', 'HEAD', 'PROPFIND', 'MKCOL', 'SEARCH', 'REPORT'));
    return { wire: { ...wire, method }, expect: [404], astray: true };
  },
};

const otherPath: Mischief = {
  name: 'path that is not there',
  applies: ({ open }) => !open,
  commit({ request, draw, world }) {
    const wire = encodeRequest(request, world.tokens.global);
    const [path = ''] = wire.target.split('?');
    const withMatrix = `${path};x=1`;
    const target = oneOf(draw, [
      `${path}/`,
      `${path}/nope`,
      `/${path}`,
      path.replace('/v1/', '/v2/'),
      path.replace('/v1/', '/v1/../v1/'),
      path.replace('/v1/', '/V1/'),
      path.replace('/v1/', '/v1//'),
      withMatrix,
      '/api/openapi/v1',
      '/api/openapi/v1/__proto__',
    ]);
    const token = oneOf(draw, [true, false]);
    const headers = token ? wire.headers : [];
    const hides = target.startsWith('/api/openapi/v1') && !token;
    // There it is one more name of what the operation makes, and no good one.
    const isName = target === withMatrix && hasPath(request.operation) && !findsByPath(request.operation);
    return {
      wire: { ...wire, target, headers },
      expect: hides ? [401] : isName ? [400] : [404],
      astray: true,
    };
  },
};

export const addressMischief: readonly Mischief[] = [
  unknownInPath,
  unknownParameter,
  badParameter,
  repeatedParameter,
  strangeInPath,
  badEncoding,
  rawQuery,
  otherMethod,
  otherPath,
];
