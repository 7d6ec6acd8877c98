import fc from 'fast-check';
import { chance, type Draw } from './draw.ts';
import type { JsonSchema } from './operations.ts';

/** Returns a value with a meaning beyond its schema, such as an existing id or a time zone. Otherwise undefined. */
export type SampleValues = (name: string, schema: JsonSchema, draw: Draw) => unknown;

/** Returns a value that the schema accepts. Includes optional fields at random. */
export function drawValue(schema: JsonSchema, draw: Draw, samples: SampleValues, name = ''): unknown {
  const sample = samples(name, schema, draw);
  if (sample !== undefined) return sample;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return draw(fc.constantFrom(...schema.enum));
  if (schema.anyOf !== undefined) {
    return drawValue(draw(fc.constantFrom(...schema.anyOf)), draw, samples, name);
  }
  if (schema.type === 'object') return drawObject(schema, draw, samples);
  if (schema.type === 'array') {
    const { items = {}, minItems = 0, maxItems = 3 } = schema;
    const length = draw(fc.integer({ min: minItems, max: Math.max(minItems, Math.min(maxItems, 3)) }));
    return Array.from({ length }, () => drawValue(items, draw, samples, name));
  }
  return drawScalar(schema, draw);
}

function drawObject(schema: JsonSchema, draw: Draw, samples: SampleValues): Record<string, unknown> {
  const drawn: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    if (schema.required?.includes(name) === true || chance(draw, 50)) {
      drawn[name] = drawValue(member, draw, samples, name);
    }
  }
  return drawn;
}

function drawScalar(schema: JsonSchema, draw: Draw): unknown {
  const { minimum: min = -1_000_000, maximum: max = 1_000_000 } = schema;
  switch (schema.type) {
    case 'boolean':
      return draw(fc.boolean());
    case 'integer':
      return draw(fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max)));
    case 'number':
      return draw(fc.double({ min, max, noNaN: true }));
    case 'null':
      return null;
    default:
      return drawText(schema, draw);
  }
}

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid: fc.uuid(),
  email: fc.stringMatching(/^[a-z0-9]{1,12}(\.[a-z0-9]{1,6})?@[a-z]{1,10}\.example$/),
  'date-time': fc
    .date({ min: new Date('2100-01-01'), max: new Date('2900-01-01'), noInvalidDate: true })
    .map((d) => d.toISOString()),
  uri: fc.webUrl(),
};

/** Returns text of any script within the length limits, or text that matches a restrictive pattern. */
export function drawText({ format, pattern, minLength = 0, maxLength = 40 }: JsonSchema, draw: Draw): string {
  const formatted = formats[format ?? ''];
  if (formatted !== undefined) return draw(formatted);
  const accepted = new RegExp(pattern ?? '', 'u');
  if (!accepted.test('Any words')) return draw(fc.stringMatching(new RegExp(pattern ?? '')));
  const long = chance(draw, 10);
  const length = { minLength: Math.max(minLength, long ? maxLength : 0), maxLength: Math.min(maxLength, 40) };
  if (long) return draw(fc.constantFrom('x', 'é', '字', '😀')).repeat(maxLength);
  const fitting = edgeCases.filter((words) => lengthFits(words, minLength, maxLength));
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', ...length }),
    ...(fitting.length === 0 ? [] : [fc.constantFrom(...fitting)]),
  );
  return draw(text.filter((words) => accepted.test(words) && lengthFits(words, minLength, maxLength)));
}

/** Characters that are often escaped, counted or compared wrongly. */
const edgeCases = [
  "O'Hara & Søns",
  'a%b_c\\d',
  '<b>Desk</b>',
  'مكتب',
  ' 字典 ',
  '{{x}} %s $1',
  'null',
  '👩‍👩‍👧',
];

/** Lengths are counted in code points. */
const lengthFits = (text: string, min: number, max: number): boolean =>
  [...text].length >= min && [...text].length <= max;
