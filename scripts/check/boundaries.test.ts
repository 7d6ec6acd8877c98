import assert from 'node:assert/strict';
import { test } from 'node:test';
import { breachesIn } from './boundaries.ts';
import { importsOf } from './imports.ts';

const breaches = (files: Record<string, string>) => breachesIn(new Map(Object.entries(files)), []);

test('names the import that violates a boundary', () => {
  const crossings: [string, string][] = [
    ['server/src/tenancy/teams/teams.ts', "import { sql } from 'kysely';"],
    ['server/src/tenancy/teams/teams.ts', "import pg from 'pg';"],
    [
      'server/src/tenancy/teams/teams.ts',
      "import { selectEvents } from '../../platform/http/http.queries.ts';",
    ],
    ['server/src/tenancy/teams/teams.ts', "import WebSocket from 'ws';"],
    ['sdk/src/parley.ts', "import { readFile } from 'node:fs/promises';"],
    ['simulator/src/network.ts', "import { newId } from '../../server/src/platform/shared/ids.ts';"],
    ['server/src/tenancy/teams/teams.ts', "import { startSimulator } from '@parley/simulator';"],
    ['server/src/tenancy/teams/teams.ts', "import { lockBot } from '../../knowledge/bots/bots.sql.ts';"],
    [
      'server/src/platform/http/app.ts',
      "import type { FileStore } from '../../ports/file-store/file-store.ts';",
    ],
    ['packages/whatsapp/src/a.ts', "import { newId } from '../../../server/src/platform/shared/ids.ts';"],
    ['server/src/platform/shared/ids.ts', "import type { Actor } from '../http/actor.ts';"],
    ['server/src/platform/database/scopes.ts', "import type { Actor } from '../http/actor.ts';"],
    ['server/src/tenancy/teams/teams.ts', "import { makeBot } from '../../../test/harness.ts';"],
    ['server/src/process/start.ts', "import { composeApi } from './compose/api.ts';"],
    ['server/src/process/start.ts', "import type { Context } from './context.ts';"],
    ['server/src/tenancy/teams/teams.ts', 'const port = process.env.PORT;'],
    ['server/src/tenancy/teams/teams.queries.ts', 'sql`select * from teams`'],
    ['server/src/tenancy/teams/teams.queries.ts', "db.updateTable('teams').returningAll()"],
  ];
  for (const [path, source] of crossings) {
    const found = breaches({ [path]: source });
    assert.equal(found.length, 1, source);
    assert.ok(found[0]?.startsWith(path), found[0]);
  }
});

test('accepts allowed imports', () => {
  assert.deepEqual(
    breaches({
      'server/src/tenancy/teams/teams.queries.ts': "import { sql } from 'kysely';",
      'server/src/tenancy/teams/teams.sql.ts': "import { sql } from 'kysely';",
      'server/src/knowledge/bots/bots.ts':
        "import { lockTeamShared } from '../../tenancy/teams/teams.sql.ts';",
      'server/src/tenancy/teams/teams.ts':
        "import { selectTeam } from './teams.queries.ts';\nimport type { Kysely } from 'kysely';",
      'server/src/ports/messaging-network/simulator.ts': "import WebSocket from 'ws';",
      'server/src/knowledge/bots/bots.test.ts': "import pg from 'pg';",
      'server/src/platform/http/a.ts': "// import { sql } from 'kysely'\n/* import pg from 'pg'; */",
    }),
    [],
  );
});

test('reports import cycles with their files, type-only ones included', () => {
  const cycle = {
    'server/src/chat/a.ts': "import { b } from './b.ts';",
    'server/src/chat/b.ts': "export { a } from './a.ts';",
  };
  assert.deepEqual(breaches(cycle), [
    'server/src/chat/a.ts → server/src/chat/b.ts → server/src/chat/a.ts: import cycle',
  ]);
  const page = {
    'console/src/page.tsx': "import { route } from './route.ts';",
    'console/src/route.ts': "const load = () => import('./page.tsx');",
  };
  assert.equal(breaches(page).length, 1, 'with a page, over a dynamic import');
  assert.equal(breaches({ ...cycle, 'server/src/chat/b.ts': "import type { a } from './a.ts';" }).length, 1);
});

test('reads imports over several lines, side effects and dynamic imports', () => {
  const source =
    "import {\n  type A,\n  b as c,\n} from '../x.ts';\nimport './y.ts';\nawait import('@scope/pkg/deep');";
  assert.deepEqual(
    importsOf('server/src/z/z.ts', source).map(({ target, names, typeOnly }) => ({
      target,
      names,
      typeOnly,
    })),
    [
      { target: 'server/src/x.ts', names: ['A', 'b'], typeOnly: false },
      { target: 'server/src/z/y.ts', names: [], typeOnly: false },
      { target: '@scope/pkg', names: ['*'], typeOnly: false },
    ],
  );
});
