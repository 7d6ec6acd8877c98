import { oneOf } from '../../../server/test/openapi/draw.ts';
import { collectionNamedBy } from '../../../server/test/openapi/operations.ts';
import { encodeRequest } from '../../../server/test/openapi/wire.ts';
import { type Deed, type Mischief, outcomesOf, type Scene } from './mischief.ts';

const json = 'application/json';

function withBytes(
  { request, world }: Scene,
  type: string | null,
  text: string,
  expect: readonly number[],
): Deed {
  const bare = encodeRequest({ ...request, body: undefined, upload: null }, world.tokens.global);
  return {
    wire: {
      ...bare,
      headers: [...bare.headers, ...(type === null ? [] : ['content-type', type])],
      body: Buffer.from(text),
    },
    expect,
  };
}

const malformed = [
  '{',
  '[1,2',
  'nul',
  "{'a':1}",
  '{"a":1}x',
  '{"a":01}',
  '{"a":1,}',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{"a":1}}}',
  '\u0000',
  'NaN',
  '"\\ud800',
];

const malformedJson: Mischief = {
  name: 'malformed JSON',
  applies: ({ multipart }) => multipart === null,
  commit: (scene) => withBytes(scene, json, oneOf(scene.draw, malformed), [400]),
};

const notAnObject: Mischief = {
  name: 'body that is no object',
  applies: ({ body }) => body !== null,
  commit: (scene) =>
    withBytes(
      scene,
      json,
      oneOf(scene.draw, ['', ' ', 'null', '[]', '"text"', '1', 'true', '[{}]', '1e999']),
      [400],
    ),
};

const wrongType: Mischief = {
  name: 'wrong content type',
  applies: ({ body }) => body !== null,
  commit(scene) {
    const types = [
      null,
      'text/plain',
      'application/xml',
      'application/jsonx',
      'application/json; charset=latin1',
    ];
    const type = oneOf(scene.draw, [...types, 'multipart/form-data; boundary=x', '*/*', '']);
    return withBytes(scene, type, JSON.stringify(scene.request.body), [400]);
  },
};

const bodyWhereNone: Mischief = {
  name: 'body where none is taken',
  applies: ({ body, multipart }) => body === null && multipart === null,
  commit: (scene) =>
    withBytes(
      scene,
      oneOf(scene.draw, [json, 'text/plain', null]),
      oneOf(scene.draw, ['{"a":1}', '[]', '1', 'x']),
      [400],
    ),
};

const emptyBody: Mischief = {
  name: 'empty body of any type where none is taken',
  applies: ({ body, multipart }) => body === null && multipart === null,
  commit: (scene) =>
    withBytes(
      scene,
      oneOf(scene.draw, [json, 'text/plain', 'application/xml', null]),
      oneOf(scene.draw, ['', '{}', ' {} ', '\n']),
      outcomesOf(scene.request.operation),
    ),
};

const tooLong: Mischief = {
  name: 'body over the limit',
  applies: ({ multipart }) => multipart === null,
  commit: (scene) => withBytes(scene, json, `{"a":"${'x'.repeat(1024 * 1024)}"}`, [400]),
};

const tooDeep: Mischief = {
  name: 'body nested too deep',
  applies: ({ multipart }) => multipart === null,
  commit(scene) {
    const depth = oneOf(scene.draw, [40, 1000, 100_000]);
    const [open, close] = oneOf(scene.draw, [
      ['[', ']'],
      ['{"a":', '}'],
    ]);
    return withBytes(scene, json, `${open.repeat(depth)}1${close.repeat(depth)}`, [400]);
  },
};

const unknownReference: Mischief = {
  name: 'unknown id in the body',
  applies: ({ id, body, open }) =>
    !open &&
    id !== 'createApiKey' &&
    Object.keys(body?.properties ?? {}).some((name) => collectionNamedBy(name) !== null),
  commit({ request, draw, world }) {
    const names = Object.keys(request.operation.body?.properties ?? {});
    const name = oneOf(
      draw,
      names.filter((member) => collectionNamedBy(member) !== null),
    );
    const id = '019a0000-0000-7000-8000-000000000000';
    // Operations with references take an object.
    const body = { ...(request.body as object), [name]: name.endsWith('s') ? [id] : id };
    return { wire: encodeRequest({ ...request, body }, world.tokens.global), expect: [400, 404] };
  },
};

export const bodyMischief: readonly Mischief[] = [
  malformedJson,
  notAnObject,
  wrongType,
  bodyWhereNone,
  emptyBody,
  unknownReference,
  tooLong,
  tooDeep,
];
