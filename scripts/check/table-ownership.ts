import type { SharedStatement } from './shared-statements.ts';
import { findTableReferences, relationsIn } from './sql-tables.ts';
import { tables } from './tables.ts';

const root = 'server/src/';
const functions = 'server/schema/functions/';
const schemaFile = `${root}platform/database/schema.generated.ts`;
const isProduct = (path: string) =>
  path.startsWith(root) && !/\.(test|contract)\.ts$/.test(path) && path !== schemaFile;

/** Returns one line for each use of another room's table, for each table without an owner and for each stale exception. */
export function findForeignSql(
  sources: ReadonlyMap<string, string>,
  exceptions: readonly SharedStatement[],
): string[] {
  const unused = new Set(
    exceptions.flatMap(({ file, declaration, tables }) =>
      tables.map((table) => use({ file, declaration, table })),
    ),
  );
  const allowed = new Set(unused);
  const foreign = new Set<string>();
  const named = [...sources].flatMap(([path, source]) => {
    if (isProduct(path)) return namedInCode(path.slice(root.length), source);
    return path.startsWith(functions) ? namedInFunctions(path.slice(functions.length), source) : [];
  });
  for (const { file, room, declaration, table } of named) {
    const rooms = table === 'graphile_worker' ? ['platform'] : tables.get(table)?.rooms;
    if (rooms === undefined || rooms.includes(room)) continue;
    const found = use({ file, declaration, table });
    unused.delete(found);
    if (!allowed.has(found)) {
      foreign.add(
        `${file}: ${declaration} names the table ${table} of ${rooms.join('/ and ')}/: use what its *.sql.ts files export`,
      );
    }
  }
  const stale = [...unused].map(
    (entry) => `scripts/check/shared-statements.ts: nothing matches "${entry}": remove it from the list`,
  );
  return [...ownerless(sources.get(schemaFile)), ...foreign, ...stale];
}

const use = ({ file, declaration, table }: { file: string; declaration: string; table: string }): string =>
  `${file} ${declaration} ${table}`;

/** A table that a statement or a function names. `file` is the path below server/src or server/schema/functions. */
interface NamedTable {
  file: string;
  room: string;
  declaration: string;
  table: string;
}

const namedInCode = (file: string, source: string): NamedTable[] =>
  findTableReferences(source).map(({ table, declaration }) => ({
    file,
    room: file.split('/')[0] ?? '',
    declaration,
    table: tables.has(table) ? table : (table.split('.')[0] ?? ''),
  }));

/** The first line of a file of functions names its room. A trigger on the table of another room calls this room, which is allowed. */
function namedInFunctions(file: string, source: string): NamedTable[] {
  const room = /^-- Room: (?<room>\w+)$/m.exec(source)?.groups?.['room'] ?? '';
  return source.split(/^create or replace /m).flatMap((statement) => {
    const name = /^function (?<name>\w+)/.exec(statement)?.groups?.['name'];
    if (name === undefined) return [];
    return relationsIn(statement).map((table) => ({
      file,
      room,
      declaration: name,
      table: table.replace(/^public\./, ''),
    }));
  });
}

function ownerless(schema: string | undefined): string[] {
  const members = /^export interface DB \{\n(?<members>[\s\S]*?)^\}/m.exec(schema ?? '')?.groups?.['members'];
  return [...(members ?? '').matchAll(/^ {2}(?:'(?<quoted>[\w.]+)'|(?<plain>\w+)):/gm)]
    .map(({ groups }) => groups?.['quoted'] ?? groups?.['plain'] ?? '')
    .filter((table) => !tables.has(table))
    .map((table) => `the table ${table} has no owner: add it to scripts/check/tables.ts`);
}
