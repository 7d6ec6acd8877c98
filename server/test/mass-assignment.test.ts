import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startDescribedApi } from './openapi/described-api.ts';
import type { JsonSchema } from './openapi/operations.ts';
import { encodeRequest } from './openapi/wire.ts';

const api = await startDescribedApi();
const team = await api.createObjects();
const columns = await columnNames();
const { token } = api.key;

async function columnNames(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct column_name::text as name from information_schema.columns
    where table_schema in ('public', 'embedded_provider') order by 1`.execute(api.context.db);
  return rows.map(({ name }) => name);
}

interface Place {
  /** As in issues: `team.quotas`, `actions[0]`; empty for the body. */
  path: string;
  schema: JsonSchema;
}

/** Returns all objects with known members in a schema. */
function objectsIn(schema: JsonSchema, path = ''): Place[] {
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    objectsIn(member, path === '' ? name : `${path}.${name}`),
  );
  const items = schema.items === undefined ? [] : objectsIn(schema.items, `${path}[0]`);
  const choices = (schema.anyOf ?? []).flatMap((choice) => objectsIn(choice, path));
  const own = schema.type === 'object' ? [{ path, schema }] : [];
  return [...own, ...members, ...items, ...choices];
}

/** Returns a body with only `content` at this path. */
function bodyWith(path: string, content: unknown): unknown {
  const steps = path.split(/\.|(?=\[)/).filter((step) => step !== '');
  return steps.reduceRight<unknown>((inner, step) => (step === '[0]' ? [inner] : { [step]: inner }), content);
}

/** In batches below the limit of issues per response. */
const lotsOf = (names: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(names.length / 80) }, (_, lot) => names.slice(lot * 80, (lot + 1) * 80));

const issuePaths = (json: unknown): string[] => {
  const { details } = json as { details: { issues: { path: string }[] } };
  return details.issues.map(({ path }) => path);
};

test('rejects undeclared column names in a body', async () => {
  let places = 0;
  for (const operation of api.operations.filter(({ body }) => body !== null)) {
    for (const { path, schema } of objectsIn(operation.body ?? {})) {
      // A map of headers accepts any name.
      if (typeof schema.additionalProperties === 'object') continue;
      places += 1;
      const foreign = columns.filter((column) => !Object.hasOwn(schema.properties ?? {}, column));
      for (const lot of lotsOf(foreign)) {
        const body = bodyWith(path, Object.fromEntries(lot.map((column) => [column, true])));
        const wire = encodeRequest({ ...api.requestFor(operation, team), body }, token);
        const { status, json } = await api.wire.send(wire);
        const where = `${operation.id} ${path}`;
        assert.equal(status, 400, where);
        const named = new Set(issuePaths(json));
        // An object that may be null is refused as a whole.
        const missed = named.has(path)
          ? []
          : lot.filter((column) => !named.has(path === '' ? column : `${path}.${column}`));
        assert.deepEqual(missed, [], where);
      }
    }
  }
  assert.ok(places > 20, `only ${places} objects were tried`);
});

test('rejects undeclared column names in a query', async () => {
  for (const operation of api.operations) {
    const known = operation.query.map(({ name }) => name);
    for (const lot of lotsOf(columns.filter((column) => !known.includes(column)))) {
      const query = lot.map((column) => [column, '1'] as const);
      const request = { ...api.requestFor(operation, team), query };
      const { status, json } = await api.wire.send(encodeRequest(request, token));
      assert.equal(status, 400, operation.id);
      assert.deepEqual(issuePaths(json).sort(), lot, operation.id);
    }
  }
});

test('rejects undeclared column names in the fields of an upload', async () => {
  for (const operation of api.operations.filter(({ multipart }) => multipart !== null)) {
    const known = Object.keys(operation.multipart?.properties ?? {});
    const { upload, ...request } = api.requestFor(operation, team);
    for (const column of columns.filter((name) => !known.includes(name))) {
      const fields = [...(upload?.fields ?? []), [column, 'true'] as const];
      const files = upload?.files ?? [];
      const { status, json } = await api.wire.send(
        encodeRequest({ ...request, upload: { fields, files } }, token),
      );
      assert.equal(status, 400, column);
      assert.deepEqual(issuePaths(json), [column]);
    }
  }
});

test('keeps read-only members unchanged when a client sends them back', async () => {
  const own = await api.api('GET', `/bots/${team['bots']}`);
  const { status, body } = await api.api('PATCH', `/bots/${team['bots']}`, { body: own.body.data });
  assert.equal(status, 400);
  const refused = body.details.issues.map((issue: { path: string }) => issue.path);
  assert.ok(['id', 'team_id', 'ai_provider_id', 'published'].every((name) => refused.includes(name)));
  assert.deepEqual((await api.api('GET', `/bots/${team['bots']}`)).body.data, own.body.data);
});
