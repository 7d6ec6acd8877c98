import { type Draw, oneOf } from '../../../server/test/openapi/draw.ts';
import type { ApiOperation } from '../../../server/test/openapi/operations.ts';
import type { ApiRequest } from '../../../server/test/openapi/requests.ts';
import { encodeRequest, type WireRequest } from '../../../server/test/openapi/wire.ts';
import { allowedStatuses, type MutationInput, type Mutator } from './mutator.ts';

const hasPath = ({ pathParameters }: ApiOperation) => pathParameters.length > 0;
const hasQuery = ({ query }: ApiOperation) => query.length > 0;
const always = () => true;

/** Without a declared 404, the operation creates the object that its path names. */
const findsByPath = (operation: ApiOperation) => hasPath(operation) && operation.statuses.includes(404);

/** Sends a request with all ids of its path replaced. An unknown id returns 404. */
const pathMutator = (name: string, applies: Mutator['applies'], drawId: (draw: Draw) => string): Mutator => ({
  name,
  applies,
  mutate({ request, draw, resources }) {
    const id = drawId(draw);
    const path = Object.fromEntries(Object.keys(request.path).map((parameter) => [parameter, id]));
    return {
      wire: encodeRequest({ ...request, path }, resources.tokens.global),
      expect: findsByPath(request.operation) ? [404] : [200, 400],
    };
  },
});

/** Sends a request with a query that the service rejects. */
const queryMutator = (
  name: string,
  applies: Mutator['applies'],
  drawQuery: (request: ApiRequest, draw: Draw) => ApiRequest['query'],
): Mutator => ({
  name,
  applies,
  mutate: ({ request, draw, resources }) => ({
    wire: encodeRequest({ ...request, query: drawQuery(request, draw) }, resources.tokens.global),
    expect: [400],
  }),
});

const unknownIds = ['019a0000-0000-7000-8000-000000000000', 'pk_none', 'no-plan'];
const strangeIds = [
  ...['zz', '0', '-1', 'null', 'undefined', '__proto__', 'constructor', "' or 1=1 --", '{id}', '*', ' '],
  ...['\u0000', 'a\u0000b', '字典', '😀', 'x'.repeat(299), 'x'.repeat(5000)],
  ...['019a0000-0000-7000-8000-00000000000', '019a0000-0000-7000-8000-0000000000000'],
  ...['urn:uuid:019a0000-0000-7000-8000-000000000000', '{019a0000-0000-7000-8000-000000000000}'],
];
const badEncodings = ['%', '%zz', '%ff', '%c0%af', '%ed%a0%80', '%00', '..%2f', '%2e%2e'];
const unknownNames = ['zz', 'Page', 'limit[]', '__proto__', 'constructor', 'hasOwnProperty', 'id', ' ', ''];
const malformedQueries = ['%', '=', '&&&', '%zz=%zz', '%ff=1', '?', 'a'.repeat(6000), '%ed%a0%80=1', ';'];
const badIntegers = [
  ...['0', '-1', '1.5', '1e3', '0x10', '', ' 1', '1 ', '+1', '01', 'NaN', '9'.repeat(30), 'true', '[1]'],
];
const methods = ['TRACE', 'OPTIONS', 'HEAD', 'PROPFIND', 'MKCOL', 'SEARCH', 'REPORT'];

const badEncoding: Mutator = {
  name: 'bad encoding in the path',
  applies: hasPath,
  mutate({ request, draw, resources }) {
    const wire = encodeRequest(request, resources.tokens.global);
    const id = encodeURIComponent(Object.values(request.path)[0] ?? '');
    const target = wire.target.replace(id, oneOf(draw, badEncodings));
    return { wire: { ...wire, target }, expect: findsByPath(request.operation) ? [404] : [400] };
  },
};

function drawBadParameter({ operation }: ApiRequest, draw: Draw): ApiRequest['query'] {
  const { name, schema } = oneOf(draw, operation.query);
  const isBad = (text: string) => text !== String(schema.minimum);
  if (schema.type === 'integer') return [[name, oneOf(draw, badIntegers.filter(isBad))]];
  const isText = schema.type === 'string' && schema.format === undefined;
  const values = isText ? ['\u0000', 'a\u0000'] : ['', 'zz', '1', 'TRUE', 'urn:uuid:1', '\u0000'];
  return [[name, oneOf(draw, values)]];
}

const malformedQuery: Mutator = {
  name: 'malformed query',
  applies: always,
  mutate({ request, draw, resources }) {
    const wire = encodeRequest({ ...request, query: [] }, resources.tokens.global);
    const target = `${wire.target}?${oneOf(draw, malformedQueries)}`;
    return { wire: { ...wire, target }, expect: allowedStatuses(request.operation) };
  },
};

const unsupportedMethod: Mutator = {
  name: 'unsupported method',
  applies: always,
  mutate({ request, draw, resources }) {
    const wire = encodeRequest(request, resources.tokens.global);
    return { wire: { ...wire, method: oneOf(draw, methods) }, expect: [404], missesRoute: true };
  },
};

const unknownPath: Mutator = {
  name: 'unknown path',
  applies: ({ open }) => !open,
  mutate(input) {
    const wire = drawUnknownPath(input);
    const { operation } = input.request;
    const hidesRoutes = wire.target.startsWith('/api/openapi/v1') && wire.headers.length === 0;
    // The operation creates an object under the name in its path, and a name with ";" is invalid.
    const isName = wire.target.endsWith(';x=1') && hasPath(operation) && !findsByPath(operation);
    return { wire, expect: hidesRoutes ? [401] : isName ? [400] : [404], missesRoute: true };
  },
};

function drawUnknownPath({ request, draw, resources }: MutationInput): WireRequest {
  const wire = encodeRequest(request, resources.tokens.global);
  const [path = ''] = wire.target.split('?');
  const target = oneOf(draw, [
    ...[`${path}/`, `${path}/nope`, `/${path}`, `${path};x=1`],
    ...['/v2/', '/v1/../v1/', '/V1/', '/v1//'].map((version) => path.replace('/v1/', version)),
    ...['/api/openapi/v1', '/api/openapi/v1/__proto__'],
  ]);
  return { ...wire, target, headers: oneOf(draw, [true, false]) ? wire.headers : [] };
}

export const urlMutators: readonly Mutator[] = [
  pathMutator('unknown id in the path', findsByPath, (draw) => oneOf(draw, unknownIds)),
  queryMutator('unknown query parameter', always, ({ query }, draw) => [
    ...query,
    [oneOf(draw, unknownNames), '1'],
  ]),
  queryMutator('bad value of a query parameter', hasQuery, drawBadParameter),
  queryMutator('repeated query parameter', hasQuery, ({ operation }, draw) => {
    const { name } = oneOf(draw, operation.query);
    return [
      [name, '1'],
      [name, '1'],
    ];
  }),
  pathMutator('strange id in the path', hasPath, (draw) => oneOf(draw, strangeIds)),
  badEncoding,
  malformedQuery,
  unsupportedMethod,
  unknownPath,
];
