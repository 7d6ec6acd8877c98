import fc from 'fast-check';
import type { Draw } from './draw.ts';
import { oneOf } from './draw.ts';
import { type ApiOperation, collectionNamedBy } from './operations.ts';
import type { SampleValues } from './values.ts';

/** An existing id for each collection (`teams`, `bots`). */
export type References = Readonly<Record<string, string | undefined>>;

const validValues: Readonly<Record<string, readonly unknown[]>> = {
  timezone: ['UTC', 'Europe/Lisbon', 'America/Sao_Paulo'],
  locale: ['en', 'pt-BR', 'zh-Hans'],
  plan_name: ['starter', 'pro', 'enterprise'],
  /** At least 1, because the administrator counts as a member. */
  members: [1, 5, 2_147_483_647],
  endpoint: ['https://api.example.com/orders/{{order}}', 'http://example.org/?q={{q}}#top'],
  headers: [{}, { key: 'X-Shop', value: 'harbour' }, { Authorization: 'Bearer x', 'X-Two': '' }],
  image_url: [null],
  image_mime_type: [null],
  /** True requires a speech adapter. */
  send_as_audio: [false],
  url: ['https://hooks.example.com/parley'],
};

/** Returns a function that chooses values with a meaning beyond the schema, such as ids of existing objects. */
export const createSampleValues =
  (references: References): SampleValues =>
  (name, schema, draw) => {
    const values = validValues[name];
    if (values !== undefined) return oneOf(draw, values);
    const id = references[collectionNamedBy(name) ?? ''];
    if (id !== undefined) return schema.type === 'array' ? draw(fc.subarray([id])) : id;
    if (name === 'body' && schema.type === 'array') return drawActionBody(draw);
    return undefined;
  };

/** Keys must be unique and values must match their declared types. */
const drawActionBody = (draw: Draw): unknown =>
  draw(
    fc.subarray([
      { key: 'order', value: '' },
      { key: 'amount', value: '12.5', type: 'number' },
      { key: 'note', value: 'for {{name}}', type: 'string' },
      { key: 'paid', value: 'true', type: 'boolean' },
    ]),
  );

type JsonBody = Record<string, unknown>;

/** Rules between the fields of a request body, by operation id. */
const bodyRules: Readonly<Record<string, (body: JsonBody, references: References, draw: Draw) => JsonBody>> =
  {
    createAccessToken: (_, { keys, secrets }) => ({ key_id: keys, key_secret: secrets }),
    createApiKey: ({ scope: _, team_id: __, ...key }, { teams }, draw) => ({
      ...key,
      ...draw(fc.constantFrom({}, { scope: 'global' }, { scope: 'team', team_id: teams })),
    }),
    renameDocument: (_, __, draw) => ({
      name: `${draw(fc.stringMatching(/^[a-zé字][a-zé字 ]{0,20}[a-z]$/))}.txt`,
    }),
  };

export function applyBodyRules(
  operation: Pick<ApiOperation, 'id'>,
  body: unknown,
  references: References,
  draw: Draw,
): unknown {
  const applyRule = bodyRules[operation.id];
  // Only object bodies have rules.
  return applyRule === undefined ? body : applyRule(body as JsonBody, references, draw);
}
