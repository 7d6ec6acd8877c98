import { type Draw, oneOf } from '../../../server/test/openapi/draw.ts';
import { type ApiOperation, collectionNamedBy } from '../../../server/test/openapi/operations.ts';
import { encodeRequest } from '../../../server/test/openapi/wire.ts';
import { allowedStatuses, type Mutator } from './mutator.ts';

const json = 'application/json';
const takesNoFile = ({ multipart }: ApiOperation) => multipart === null;
const takesObject = ({ body }: ApiOperation) => body !== null;
const takesNothing = ({ body, multipart }: ApiOperation) => body === null && multipart === null;

/** Operations with an optional body take an empty one, and `{}` of any type, for none. */
const isNoBody = ({ bodyIsOptional }: ApiOperation, text: string): boolean =>
  bodyIsOptional && ['', '{}'].includes(text.trim());

/** Sends a text of a content type as body. By default the service must reject it, unless it counts as no body. */
const rawBody = (
  name: string,
  applies: Mutator['applies'],
  drawBody: (draw: Draw, valid: unknown) => [type: string | null, text: string],
  expect: (operation: ApiOperation, text: string) => readonly number[] = (operation, text) =>
    isNoBody(operation, text) ? allowedStatuses(operation) : [400],
): Mutator => ({
  name,
  applies,
  mutate({ request, draw, resources }) {
    const [type, text] = drawBody(draw, request.body);
    const bare = encodeRequest({ ...request, body: undefined, upload: null }, resources.tokens.global);
    const headers = type === null ? bare.headers : [...bare.headers, 'content-type', type];
    return { wire: { ...bare, headers, body: Buffer.from(text) }, expect: expect(request.operation, text) };
  },
});

const malformed = [
  ...['{', '[1,2', 'nul', "{'a':1}", '{"a":1}x', '{"a":01}', '{"a":1,}', '\u0000', 'NaN', '"\\ud800'],
  ...['{"__proto__":{"a":1}}', '{"constructor":{"prototype":{"a":1}}}'],
];
const notObjects = ['', ' ', 'null', '[]', '"text"', '1', 'true', '[{}]', '1e999'];
const wrongTypes = [
  ...[null, '', '*/*', 'text/plain', 'application/xml', 'application/jsonx'],
  ...['application/json; charset=latin1', 'multipart/form-data; boundary=x'],
];

function drawDeepJson(draw: Draw): string {
  const depth = oneOf(draw, [40, 1000, 100_000]);
  return oneOf(draw, [true, false])
    ? `${'['.repeat(depth)}1${']'.repeat(depth)}`
    : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
}

const unknownReference: Mutator = {
  name: 'unknown id in the body',
  applies: (operation) =>
    !operation.open && operation.id !== 'createApiKey' && referenceFields(operation).length > 0,
  mutate({ request, draw, resources }) {
    const name = oneOf(draw, referenceFields(request.operation));
    const id = '019a0000-0000-7000-8000-000000000000';
    // Operations with references have an object as body.
    const body = { ...(request.body as object), [name]: name.endsWith('s') ? [id] : id };
    return { wire: encodeRequest({ ...request, body }, resources.tokens.global), expect: [400, 404] };
  },
};

/** Lists the fields of the body that hold ids of other objects. */
export const referenceFields = ({ body }: ApiOperation): string[] =>
  Object.keys(body?.properties ?? {}).filter((name) => collectionNamedBy(name) !== null);

export const bodyMutators: readonly Mutator[] = [
  rawBody('malformed JSON', takesNoFile, (draw) => [json, oneOf(draw, malformed)]),
  rawBody('body that is not an object', takesObject, (draw) => [json, oneOf(draw, notObjects)]),
  rawBody('wrong content type', takesObject, (draw, valid) => [
    oneOf(draw, wrongTypes),
    JSON.stringify(valid),
  ]),
  rawBody('body for an operation without one', takesNothing, (draw) => [
    oneOf(draw, [json, 'text/plain', null]),
    oneOf(draw, ['{"a":1}', '[]', '1', 'x']),
  ]),
  rawBody(
    'empty body for an operation without one',
    takesNothing,
    (draw) => [
      oneOf(draw, [json, 'text/plain', 'application/xml', null]),
      oneOf(draw, ['', '{}', ' {} ', '\n']),
    ],
    allowedStatuses,
  ),
  unknownReference,
  rawBody('body over the limit', takesNoFile, () => [json, `{"a":"${'x'.repeat(1024 * 1024)}"}`]),
  rawBody('body nested too deep', takesNoFile, (draw) => [json, drawDeepJson(draw)]),
];
