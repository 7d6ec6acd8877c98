import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { type Draw, oneOf } from '../../../server/test/openapi/draw.ts';
import type { JsonSchema } from '../../../server/test/openapi/operations.ts';
import { encodeRequest } from '../../../server/test/openapi/wire.ts';
import { allowedStatuses, type Mutator } from './mutator.ts';

type Accepts = (schema: JsonSchema, value: unknown) => boolean;

/** Change one field of the body. The service must reject it if the schema does, or if a text cannot be stored. */
export function createFieldMutators(): readonly Mutator[] {
  const accepts = createAccepts();
  const mutateField = (
    name: string,
    change: (body: unknown, schema: JsonSchema, draw: Draw) => unknown,
  ): Mutator => ({
    name,
    applies: ({ body }) => body !== null,
    mutate({ request, draw, resources }) {
      const schema = request.operation.body ?? {};
      const body = change(structuredClone(request.body), schema, draw);
      const isRejected = !accepts(schema, body) || containsUnstorableText(body);
      return {
        wire: encodeRequest({ ...request, body }, resources.tokens.global),
        expect: isRejected ? [400] : allowedStatuses(request.operation),
      };
    },
  });
  return [
    mutateField('field with a strange value', (body, _, draw) =>
      replaceField(body, draw, oneOf(draw, strangeValues)),
    ),
    mutateField('strange text', (body, _, draw) => replaceText(body, draw, oneOf(draw, strangeTexts))),
    mutateField('strange text', (body, _, draw) => replaceText(body, draw, oneOf(draw, strangeTexts))),
    mutateField('text at or over its maximum length', stretchText),
    mutateField('unknown field', (body, _, draw) => addField(body, draw)),
    mutateField('missing field', (body, _, draw) => dropField(body, draw)),
  ];
}

function createAccepts(): Accepts {
  const ajv = new Ajv2020({ strict: false });
  ajvFormats.default(ajv);
  ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
  return (schema, value) => ajv.validate(schema, value);
}

const strangeValues: readonly unknown[] = [
  ...[null, true, 0, -1, 0.5, 3, 2 ** 31, 2 ** 53, 1e308, -1e308],
  ...[{}, [], [[]], [null], { a: 1 }, { key: 1 }, { length: 1e9 }],
  Array.from({ length: 600 }, () => 'x'),
  Array.from({ length: 600 }, () => ({})),
];

const strangeTexts: readonly unknown[] = [
  ...[
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
  ],
  ...['__proto__', 'toString', '1', 'true', 'null', "'; drop table teams; --", '%s%n{{}}'],
  ...['019A0000-0000-7000-8000-000000000000', '00000000-0000-0000-0000-000000000000'],
  ...['urn:uuid:019a0000-0000-7000-8000-000000000000'],
  ...['2026-02-30T00:00:00Z', '2100-01-01T00:00:60Z', '2100-01-01t00:00:00+23:59'],
  ...['0000-01-01T00:00:00Z', '+999999-01-01T00:00:00Z'],
  ...['https://{{host}}/', 'http://[::1]:99999/', 'javascript:alert(1)'],
  ...[{ '': 'x' }, { '\u0000': 'x' }, { '\ud800': 'x' }, { toString: 'x' }],
];

/** PostgreSQL stores no NUL, and JSON in UTF-8 has no half of a surrogate pair. */
function containsUnstorableText(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([name, member]) => containsUnstorableText(name) || containsUnstorableText(member),
  );
}

type Container = Record<string, unknown>;

/** Lists all fields of a body with their containers. */
function fieldsOf(value: unknown): { container: Container; name: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  // Objects and arrays both have named fields.
  const container = value as Container;
  return Object.keys(container).flatMap((name) => [{ container, name }, ...fieldsOf(container[name])]);
}

function replaceField(body: unknown, draw: Draw, value: unknown): unknown {
  const fields = fieldsOf(body);
  if (fields.length === 0) return value;
  const { container, name } = oneOf(draw, fields);
  container[name] = value;
  return body;
}

function replaceText(body: unknown, draw: Draw, value: unknown): unknown {
  const texts = fieldsOf(body).filter(({ container, name }) => typeof container[name] === 'string');
  if (texts.length === 0) return replaceField(body, draw, value);
  const { container, name } = oneOf(draw, texts);
  container[name] = value;
  return body;
}

function addField(body: unknown, draw: Draw): unknown {
  const objects = [body, ...fieldsOf(body).map(({ container, name }) => container[name])].filter(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  );
  const names = ['zz', 'id', 'toString', 'valueOf', 'hasOwnProperty', '', 'Name', 'created_at', 'scope'];
  const name = oneOf(draw, names);
  // Filtered to objects above.
  const container = oneOf(draw, objects) as Container;
  container[name] = oneOf<unknown>(draw, ['x', 1, null, {}]);
  return body;
}

function dropField(body: unknown, draw: Draw): unknown {
  const fields = fieldsOf(body).filter(({ container }) => !Array.isArray(container));
  if (fields.length === 0) return null;
  const { container, name } = oneOf(draw, fields);
  delete container[name];
  return body;
}

/** Makes a text as long as its maximum, or one character longer. */
function stretchText(body: unknown, schema: JsonSchema, draw: Draw): unknown {
  const texts = Object.entries(schema.properties ?? {}).filter(
    ([, member]) => member.maxLength !== undefined,
  );
  if (texts.length === 0) return replaceField(body, draw, 'x'.repeat(200_000));
  const [name, { maxLength = 0 }] = oneOf(draw, texts);
  const unit = oneOf(draw, ['x', '😀', '字', '"']);
  // Operations with declared fields have an object as body.
  return { ...(body as object), [name]: unit.repeat(maxLength + oneOf(draw, [0, 1])) };
}
