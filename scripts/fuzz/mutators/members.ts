import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { type Draw, oneOf } from '../../../server/test/openapi/draw.ts';
import type { JsonSchema } from '../../../server/test/openapi/operations.ts';
import { encodeRequest } from '../../../server/test/openapi/wire.ts';
import { type Mischief, outcomesOf } from './mischief.ts';

type Accepts = (schema: JsonSchema, value: unknown) => boolean;

/** Bodies with one member changed: refused whenever the declared schema refuses them, or text holds what none may. */
export function memberMischief(): readonly Mischief[] {
  const accepts = createAccepts();
  const withMember = (
    name: string,
    change: (body: unknown, schema: JsonSchema, draw: Draw) => unknown,
  ): Mischief => ({
    name,
    applies: ({ body }) => body !== null,
    commit({ request, draw, world }) {
      const schema = request.operation.body ?? {};
      const body = change(structuredClone(request.body), schema, draw);
      const refused = !accepts(schema, body) || holdsUnkeepableText(body);
      return {
        wire: encodeRequest({ ...request, body }, world.tokens.global),
        expect: refused ? [400] : outcomesOf(request.operation),
      };
    },
  });
  return [
    withMember('member of a strange value', (body, _, draw) =>
      replaceMember(body, draw, oneOf(draw, strangeValues)),
    ),
    withMember('strange text', (body, _, draw) => replaceText(body, draw, oneOf(draw, strangeTexts))),
    withMember('strange text', (body, _, draw) => replaceText(body, draw, oneOf(draw, strangeTexts))),
    withMember('text at or over its bounds', stretchText),
    withMember('unknown member', (body, _, draw) => addMember(body, draw)),
    withMember('missing member', (body, _, draw) => dropMember(body, draw)),
  ];
}

function createAccepts(): Accepts {
  const ajv = new Ajv2020({ strict: false });
  ajvFormats.default(ajv);
  ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
  return (schema, value) => ajv.validate(schema, value);
}

const strangeValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  0.5,
  3,
  2 ** 31,
  2 ** 53,
  1e308,
  -1e308,
  {},
  [],
  [[]],
  [null],
  { a: 1 },
  { key: 1 },
  { length: 1e9 },
  Array.from({ length: 600 }, () => 'x'),
  Array.from({ length: 600 }, () => ({})),
];

const strangeTexts: readonly unknown[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  'a\nb',
  '\u001b[31m',
  '\ud800',
  'a\udc00b',
  '\u202eabc',
  '\ufeff',
  '\uffff',
  '__proto__',
  'toString',
  '1',
  'true',
  'null',
  "'; drop table teams; --",
  'urn:uuid:019a0000-0000-7000-8000-000000000000',
  '019A0000-0000-7000-8000-000000000000',
  '00000000-0000-0000-0000-000000000000',
  '2026-02-30T00:00:00Z',
  '2100-01-01T00:00:60Z',
  '2100-01-01t00:00:00+23:59',
  '0000-01-01T00:00:00Z',
  '+999999-01-01T00:00:00Z',
  'https://{{host}}/',
  'http://[::1]:99999/',
  'javascript:alert(1)',
  '%s%n{{}}',
  { '': 'x' },
  { '\u0000': 'x' },
  { '\ud800': 'x' },
  { toString: 'x' },
];

/** NUL cannot be stored as text, nor half a surrogate pair sent back. */
function holdsUnkeepableText(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([name, member]) => holdsUnkeepableText(name) || holdsUnkeepableText(member),
  );
}

type Container = Record<string, unknown>;

/** Every member within a body, as its container and its name. */
function membersOf(value: unknown): { container: Container; name: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  // Objects and arrays alike have named members.
  const container = value as Container;
  return Object.keys(container).flatMap((name) => [{ container, name }, ...membersOf(container[name])]);
}

function replaceMember(body: unknown, draw: Draw, value: unknown): unknown {
  const members = membersOf(body);
  if (members.length === 0) return value;
  const { container, name } = oneOf(draw, members);
  container[name] = value;
  return body;
}

function replaceText(body: unknown, draw: Draw, value: unknown): unknown {
  const texts = membersOf(body).filter(({ container, name }) => typeof container[name] === 'string');
  if (texts.length === 0) return replaceMember(body, draw, value);
  const { container, name } = oneOf(draw, texts);
  container[name] = value;
  return body;
}

function addMember(body: unknown, draw: Draw): unknown {
  const objects = [body, ...membersOf(body).map(({ container, name }) => container[name])].filter(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  );
  const name = oneOf(draw, [
    'zz',
    'id',
    'toString',
    'valueOf',
    'hasOwnProperty',
    '',
    'Name',
    'created_at',
    'scope',
  ]);
  // Filtered to objects above.
  const container = oneOf(draw, objects) as Container;
  container[name] = oneOf<unknown>(draw, ['x', 1, null, {}]);
  return body;
}

function dropMember(body: unknown, draw: Draw): unknown {
  const members = membersOf(body).filter(({ container }) => !Array.isArray(container));
  if (members.length === 0) return null;
  const { container, name } = oneOf(draw, members);
  delete container[name];
  return body;
}

/** One of the body's own texts at its greatest length, or one beyond. */
function stretchText(body: unknown, schema: JsonSchema, draw: Draw): unknown {
  const texts = Object.entries(schema.properties ?? {}).filter(
    ([, member]) => member.maxLength !== undefined,
  );
  if (texts.length === 0) return replaceMember(body, draw, 'x'.repeat(200_000));
  const [name, { maxLength = 0 }] = oneOf(draw, texts);
  const unit = oneOf(draw, ['x', '😀', '字', '"']);
  // Operations with declared members take an object.
  return { ...(body as object), [name]: unit.repeat(maxLength + oneOf(draw, [0, 1])) };
}
