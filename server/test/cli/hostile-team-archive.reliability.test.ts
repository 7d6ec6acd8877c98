import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, afterEach, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { sql } from 'kysely';
import { RestoreRefused } from '../../src/platform/database/backup/archive-file.ts';
import { newId } from '../../src/platform/shared/ids.ts';
import { CommandFailed } from '../../src/process/cli/command.ts';
import { exportTeam, importTeam } from '../../src/process/cli/team.ts';
import { otherTables, teamReferences, teamTables } from '../../src/process/cli/team-tables.ts';
import { repetitions } from '../faults/repetitions.ts';
import { type FilledTeam, fillTeam } from './filled-team.ts';
import { digest, openArchive } from './team-archive.ts';
import { type Cell, createCell } from './team-cells.ts';

const scratch = await mkdtemp(join(tmpdir(), 'parley-hostile-archive-'));
after(() => rm(scratch, { recursive: true, force: true }));

const [old, next] = await Promise.all([createCell(scratch, 1), createCell(scratch, 2)]);
const mover = await fillTeam(old, 'Mover');
const { teamId } = mover;
const victim = await fillTeam(next, 'Victim');
const exported = join(scratch, 'exported');
await run(old, exportTeam, teamId, exported);

let [folder, attempts] = ['', 0];
let archive = openArchive(exported);
beforeEach(renew);
afterEach(forget);

/** Begins with the archive as it was exported. */
async function renew(): Promise<void> {
  attempts += 1;
  folder = join(scratch, `archive-${attempts}`);
  await cp(exported, folder, { recursive: true });
  archive = openArchive(folder);
}

async function forget(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const { name, rows } of teamTables.toReversed()) {
    await sql.raw(`delete from ${name} where ${own(rows)}`).execute(next.db);
  }
  await sql`delete from tombstones where team_id = ${teamId}`.execute(next.db);
  await sql`delete from pools where id = ${teamId}`.execute(next.db);
  await sql`delete from events where team_id = ${teamId}`.execute(next.db);
  for (const key of await list(teamId)) await next.files.delete(key);
}

async function run(cell: Cell, command: typeof importTeam, ...parameters: string[]): Promise<void> {
  await command({ environment: cell.environment, values: {}, parameters, print: () => undefined });
}

const own = (condition: string): string => condition.replaceAll('$team', `'${teamId}'`);

async function list(prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of next.files.list('')) if (key.startsWith(prefix)) keys.push(key);
  return keys;
}

const ownedTables: Record<string, string> = {
  pools: `id <> '${teamId}'`,
  document_counts: `team_id <> '${teamId}'`,
};
const counters = new Set(['document_totals', 'team_counts']);

/** Returns a digest of the rows of all tables that are not the moved team's, and of the files of the other team. */
async function readOthers(): Promise<string> {
  const conditions = [
    ...teamTables.map(({ name, rows }) => [name, `(${own(rows)}) is not true`]),
    ...otherTables.filter((name) => !counters.has(name)).map((name) => [name, ownedTables[name] ?? 'true']),
  ];
  const texts: string[] = [];
  for (const [name, condition] of conditions) {
    const { rows } = await sql
      .raw<{ rows: string }>(
        `select coalesce(string_agg(t::text, ';' order by t::text), '') as rows from ${name} t where ${condition}`,
      )
      .execute(next.db);
    texts.push(`${name}: ${rows[0]?.rows}`);
  }
  for (const key of await list(''))
    if (!key.startsWith(teamId)) texts.push(`${key}: ${Buffer.from((await next.files.get(key)) ?? [])}`);
  return texts.join('\n');
}

const referring = ['file_key', 'ref', 'team_id', ...Object.keys(teamReferences.columns)];

/** The other team's objects, by the table that identifies them. */
const victims: Record<string, string> = {
  bots: victim.ids.bot,
  documents: victim.ids.document,
  devices: victim.ids.device,
  conversations: victim.ids.conversation,
  messages: victim.ids.message,
  answers: victim.ids.answer,
  'embedded_provider.assistants': victim.refs.assistant,
  'embedded_provider.knowledge_stores': victim.refs.store,
  'embedded_provider.documents': victim.refs.document,
};

/**
 * Returns the columns of the moved team that name an object of the other team. A column that refers to devices may hold
 * the id of a message: it names nothing. Texts of people may hold anything.
 */
async function findLeaks(): Promise<string[]> {
  const leaks: string[] = [];
  for (const { name, rows } of teamTables) {
    const { rows: columns } = await sql<{ name: string }>`
      select attname as name from pg_attribute
      where attrelid = ${name}::regclass and attnum > 0 and not attisdropped
        and (atttypid in ('uuid'::regtype, 'jsonb'::regtype) or attname = any(${referring}))`.execute(
      next.db,
    );
    for (const { name: column } of columns) {
      const targets = teamReferences.columns[column];
      const named = targets?.map((table) => victims[table]) ?? [victim.teamId, ...Object.values(victims)];
      const patterns = named.map((id) => `%${id}%`);
      const found = await sql`
        select from ${sql.raw(name)}
        where ${sql.raw(own(rows))} and ${sql.id(column)}::text like any(${patterns}::text[])`.execute(
        next.db,
      );
      if (found.rows.length > 0) leaks.push(`${name}.${column}`);
    }
  }
  return leaks;
}

async function countRows(): Promise<number> {
  let sum = 0;
  for (const { name, rows } of teamTables) {
    const { rows: found } = await sql
      .raw<{ rows: number }>(`select count(*)::int as rows from ${name} where ${own(rows)}`)
      .execute(next.db);
    sum += found[0]?.rows ?? 0;
  }
  return sum;
}

/** Imports the folder. Returns why it was refused, or null. All of the team must be there afterwards, or nothing. */
async function attempt(): Promise<string | null> {
  const before = await readOthers();
  const refusal = await run(next, importTeam, folder).then(
    () => null,
    (error: unknown) => {
      if (error instanceof CommandFailed || error instanceof RestoreRefused) return error.message;
      throw error;
    },
  );
  assert.equal(await readOthers(), before, 'another team changed');
  assert.deepEqual(await findLeaks(), []);
  const [rows, files] = [await countRows(), await list(teamId)];
  assert.doesNotMatch(refusal ?? '', /still deletes/);
  if (refusal === null) assert.ok(rows > 0);
  else assert.deepEqual({ rows, files }, { rows: 0, files: [] }, refusal);
  return refusal;
}

test('imports the archive as it was exported', async () => {
  assert.equal(await attempt(), null);
  assert.deepEqual((await list(teamId)).toSorted(), mover.fileKeys.toSorted());
});

test('knows what each column of ids refers to', async () => {
  for (const { name, replaced = {} } of teamTables) {
    const { rows } = await sql<{ name: string }>`
      select attname as name from pg_attribute
      where attrelid = ${name}::regclass and attnum > 0 and not attisdropped and atttypid = 'uuid'::regtype
        and attname not in ('id', 'team_id')`.execute(next.db);
    for (const column of rows)
      assert.ok(column.name in teamReferences.columns || column.name in replaced, `${name}.${column.name}`);
  }
});

/** Values in the text format of COPY, by table and column, that the import refuses. */
const values: [table: string, column: string, value: (victim: FilledTeam) => string][] = [
  ['conversations', 'device_id', ({ ids }) => ids.device],
  ['messages', 'device_id', ({ ids }) => ids.device],
  ['messages', 'answer_id', ({ ids }) => ids.answer],
  ['messages', 'team_id', ({ teamId: other }) => other],
  ['devices', 'bot_id', ({ ids }) => ids.bot],
  ['device_sessions', 'device_id', ({ ids }) => ids.device],
  ['contact_addresses', 'device_id', ({ ids }) => ids.device],
  ['contact_merges', 'device_id', ({ ids }) => ids.device],
  ['message_media', 'message_id', ({ ids }) => ids.message],
  ['message_media', 'file_key', ({ fileKeys }) => fileKeys[1] ?? ''],
  ['documents', 'file_key', ({ fileKeys }) => fileKeys[0] ?? ''],
  ['documents', 'file_key', () => `${teamId}/../${victim.teamId}/a.txt`],
  ['documents', 'ai_provider_id', ({ refs }) => refs.document],
  ['bots', 'ai_provider_id', ({ refs }) => refs.assistant],
  ['bots', 'vector_id', ({ refs }) => refs.store],
  ['bot_version_documents', 'bot_id', ({ ids }) => ids.bot],
  ['bot_documents', 'document_id', ({ ids }) => ids.document],
  ['notes', 'conversation_id', ({ ids }) => ids.conversation],
  ['tool_calls', 'conversation_id', ({ ids }) => ids.conversation],
  ['tool_calls', 'first_message_id', ({ ids }) => ids.message],
  ['answers', 'bot_id', ({ ids }) => ids.bot],
  ['embedded_provider.assistants', 'object_id', ({ ids }) => ids.bot],
  ['embedded_provider.assistants', 'object_id', () => 'no id'],
  ['embedded_provider.documents', 'team_id', ({ teamId: other }) => other],
  ['embedded_provider.documents', 'ref', ({ refs }) => refs.store],
  ['embedded_provider.knowledge_stores', 'ref', ({ refs }) => refs.document],
  ['embedded_provider.passages', 'document_ref', ({ refs }) => refs.document],
  ['embedded_provider.revisions', 'assistant_ref', ({ refs }) => refs.assistant],
  [
    'embedded_provider.revisions',
    'spec',
    ({ refs }) => `{"knowledge": {"documentRefs": [["${refs.document}"]]}}`,
  ],
  ['bot_versions', 'spec', ({ refs }) => `{"document_refs": ["${refs.document}"]}`],
  ['bot_versions', 'spec', () => `{"a": ${'['.repeat(100)}${']'.repeat(100)}}`],
  ['webhooks', 'team_id', () => '\\N'],
  ['webhooks', 'secret_sealed', () => '\\\\x00'],
  ['teams', 'id', ({ teamId: other }) => other],
  ['teams', 'created_at', () => 'infinity'],
  ['teams', 'settings', () => '{"retention_days": "soon"}'],
  ['teams', 'settings', () => '{"timezone": "Nowhere/Else"}'],
  ['teams', 'settings', () => '[]'],
  ['bots', 'temperature', () => 'NaN'],
  ['devices', 'epoch', () => '9223372036854775807'],
  ['monthly_model_usage', 'cost', () => 'Infinity'],
  ['monthly_message_prices', 'amount', () => 'NaN'],
  ['messages', 'created_at', () => '294276-12-31'],
  ['messages', 'status', () => 'x'],
  ['users', 'id', () => 'no id'],
];

for (const [table, column, value] of values) {
  const change = value(victim).slice(0, 60);
  test(`refuses ${table}.${column} = ${change}`, async () => {
    await archive.set(table, column, value(victim));
    assert.notEqual(await attempt(), null);
  });
}

const injected = `team_id) from stdin; update teams set name = 'Injected'; copy team_usage (team_id`;

const changes: [name: string, change: () => Promise<unknown>][] = [
  [
    'SQL as the name of a column',
    () =>
      editTable('team_usage', (table) => {
        table.columns[0] = injected;
      }),
  ],
  [
    'SQL as the name of a table',
    () =>
      editTable('team_usage', (table) => {
        table.name = `team_usage (${injected}`;
      }),
  ],
  [
    'a table that stays behind',
    () =>
      editTable('team_usage', (table, all) => {
        all.push({ ...table, name: 'api_keys' });
      }),
  ],
  [
    'a table twice',
    () =>
      editTable('users', (table, all) => {
        all.push(table);
      }),
  ],
  [
    'a column less',
    () =>
      editTable('users', (table) => {
        table.columns.pop();
      }),
  ],
  [
    'a column twice',
    () =>
      editTable('users', (table) => {
        table.columns[0] = table.columns[1] ?? '';
      }),
  ],
  [
    'more rows than described',
    () =>
      editTable('users', (table) => {
        table.rows += 1;
      }),
  ],
  [
    'rows twice',
    async () => {
      const { rows } = await archive.read('users');
      await archive.write('users', [...rows, ...rows]);
    },
  ],
  ['no team', () => archive.write('teams', [])],
  ['files of another team', () => archive.addFile(victim.fileKeys[0] ?? '', 'x')],
  ['files outside the folder', () => archive.addFile(`${teamId}/../../transfer-key`, 'x')],
  ['an absolute path', () => archive.addFile('/etc/passwd', 'x')],
  [
    'a row without its file',
    () =>
      archive.editManifest(({ files }) => {
        delete files[mover.fileKeys[1] ?? ''];
      }),
  ],
  [
    'the id of a team in capitals',
    () =>
      archive.editManifest((manifest) => {
        manifest.teamId = teamId.toUpperCase();
      }),
  ],
  [
    'the id of another team',
    () =>
      archive.editManifest((manifest) => {
        manifest.teamId = victim.teamId;
      }),
  ],
  [
    'a manifest of another shape',
    () => writeFile(join(folder, 'team.json'), '{"format": 1, "tables": {"length": 9}}'),
  ],
  ['a manifest that is no JSON', () => writeFile(join(folder, 'team.json'), '{')],
  [
    'another key of its secrets',
    () => writeFile(join(folder, 'transfer-key'), Buffer.alloc(32, 5).toString('base64')),
  ],
  ['no rows of a table', () => rm(join(folder, 'rows/users.copy.gz'))],
  [
    'a link to a file',
    async () => {
      const path = join(folder, 'files', mover.fileKeys[0] ?? '');
      await rename(path, join(folder, 'elsewhere'));
      await symlink(join(folder, 'elsewhere'), path);
    },
  ],
  [
    'a link to a folder',
    async () => {
      const path = dirname(join(folder, 'files', mover.fileKeys[0] ?? ''));
      await rename(path, join(folder, 'elsewhere'));
      await symlink(join(folder, 'elsewhere'), path);
    },
  ],
  [
    'a pipe instead of a file',
    async () => {
      await rm(join(folder, 'rows/users.copy.gz'));
      execFileSync('mkfifo', [join(folder, 'rows/users.copy.gz')]);
    },
  ],
  [
    'a file that unpacks to a thousand times its size',
    async () => {
      const bytes = Buffer.alloc(100_000_000, 'x');
      await editTable('users', (table) => {
        Object.assign(table, digest(bytes));
      });
      await writeFile(join(folder, 'rows/users.copy.gz'), gzipSync(bytes));
    },
  ],
  [
    'a file that unpacks to more than described',
    () => writeFile(join(folder, 'rows/users.copy.gz'), gzipSync(Buffer.alloc(100_000_000, 'x'))),
  ],
];

type EditTable = (table: Tables[number], all: Tables) => void;
type Tables = Parameters<Parameters<typeof archive.editManifest>[0]>[0]['tables'];

const editTable = (name: string, edit: EditTable): Promise<void> =>
  archive.editManifest(({ tables }) => {
    const table = tables.find((found) => found.name === name);
    if (table !== undefined) edit(table, tables);
  });

for (const [name, change] of changes) {
  test(`refuses ${name}`, async () => {
    await change();
    assert.notEqual(await attempt(), null);
  });
}

test('refuses a device that rows of another team name already', async () => {
  const id = newId();
  await sql`
    insert into conversations (id, team_id, device_id, contact_number)
    values (${id}, ${victim.teamId}, ${mover.ids.device}, '+15550177')`.execute(next.db);
  assert.match(String(await attempt()), /refers to another team/);
  await sql`delete from conversations where id = ${id}`.execute(next.db);
});

test('refuses the id of a pool as the id of a team', async () => {
  await sql`
    insert into pools (id, url, capacity, lease_until) values (${teamId}, 'http://pool', 9, now())`.execute(
    next.db,
  );
  assert.match(String(await attempt()), /is the id of a pool/);
  await sql`delete from pools where id = ${teamId}`.execute(next.db);
});

test('imports the team banned, and its devices stopped and without a pool', async () => {
  const pool = await sql<{ id: string }>`
    select pool_id as id from devices where id = ${victim.ids.device}`.execute(next.db);
  await archive.set('teams', 'banned', 'f');
  await archive.set('devices', 'pool_id', pool.rows[0]?.id ?? '');
  await archive.set('devices', 'connected', 't');
  await archive.set('webhooks', 'claimed_until', '2099-01-01');
  assert.equal(await attempt(), null);
  const { rows } = await sql`
    select t.banned, d.pool_id = t.id as own, d.connected, w.claimed_until
    from teams t join devices d on d.team_id = t.id join webhooks w on w.team_id = t.id
    where t.id = ${teamId}`.execute(next.db);
  const expected = { banned: true, own: true, connected: false, claimed_until: null };
  assert.deepEqual(rows, [expected, expected]);
});

/** Draws values that mean something somewhere, and some that mean nothing. */
const drawnValue = fc.oneof(
  fc.constantFrom(
    ...[victim.teamId, ...Object.values(victim.ids), ...Object.values(victim.refs), ...victim.fileKeys],
    ...[teamId, ...Object.values(mover.ids), ...Object.values(mover.refs), ...mover.fileKeys],
    ...[
      '\\N',
      't',
      'f',
      '0',
      '-1',
      '1e400',
      'NaN',
      'infinity',
      '-infinity',
      '',
      '{}',
      '[]',
      'null',
      '\\\\x',
      '\\.',
    ],
    ...[
      `["${victim.refs.document}"]`,
      `{"${victim.ids.bot}": "${victim.ids.bot}"}`,
      '{NULL}',
      '{{1}}',
      '2026-11-01',
    ],
    ...[
      'live',
      'uploading',
      'started',
      'in',
      'out',
      'accepted',
      'global',
      `'; drop table teams; --`,
      '../../x',
    ],
  ),
  fc.string({ maxLength: 20 }).map((text) => text.replace(/[\t\n\r\\]/g, '')),
);

type Mutation = () => Promise<unknown>;
const tableNames = teamTables.map(({ name }) => name);

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom(...tableNames), fc.nat(40), fc.nat(5), drawnValue)
      .map(([name, column, row, value]) => async () => {
        const { columns } = await archive.read(name);
        await archive.set(name, columns[column % columns.length] ?? '', value, row);
      }),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...tableNames), fc.constantFrom(0, 1, 2))
      .map(([name, times]) => async () => {
        const { rows } = await archive.read(name);
        await archive.write(name, Array.from({ length: times }, () => rows).flat());
      }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...tableNames), fc.nat(40), drawnValue).map(
      ([name, column, value]) =>
        () =>
          editTable(name, (table) => {
            table.columns[column % table.columns.length] = value;
          }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom('name', 'rows', 'bytes', 'sha256', 'file'), fc.jsonValue()).map(
      ([field, value]) =>
        () =>
          editTable('users', (table) => {
            Object.assign(table, { [field]: value });
          }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(drawnValue, fc.string()).map(
      ([key, content]) =>
        () =>
          archive.addFile(key, content),
    ),
  },
);

test('changes no other team and leaves no half, whatever the archive holds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
      await renew();
      try {
        for (const mutate of mutations) await mutate().catch(() => undefined);
        await attempt();
      } finally {
        await forget();
      }
    }),
    { numRuns: repetitions(20, 2000) },
  );
});
