import { mkdir } from 'node:fs/promises';
import pg from 'pg';
import { type ExportedTable, exportSnapshot, exportTable } from './export-database.ts';
import { createResealer, type Resealing } from './sealed-rows.ts';
import { connectForBackup, findTables } from './stored-tables.ts';

/** A table with rows of a team. */
export interface TeamTable {
  name: string;
  /** Condition of the team's rows. `$team` stands for the team's id in quotes. */
  rows: string;
  /** SQL values that replace those of columns which make sense only in the deployment of the export. Used by export and import. */
  replaced?: Readonly<Record<string, string>>;
  /** SQL values that are only imported. */
  adapted?: Readonly<Record<string, string>>;
  /** The column with keys of stored files. */
  fileKey?: string;
}

export interface TeamRowsOptions extends Resealing {
  folder: string;
  /** In the order of their foreign keys. */
  tables: readonly TeamTable[];
}

export interface ExportedTeam {
  /** The newest migration. */
  schema: number;
  tables: ExportedTable[];
}

/**
 * Writes the rows of one moment, with their values sealed again. `other` names the tables that stay behind. `whileHeld` gets the
 * name of the snapshot before the first row is written. The transaction writes nothing: a transaction id would hold back the
 * events of all teams.
 */
export async function exportTeamRows(
  databaseUrl: string,
  teamId: string,
  {
    tables,
    folder,
    other,
    whileHeld,
    ...resealing
  }: TeamRowsOptions & { other: readonly string[]; whileHeld: (snapshot: string) => Promise<void> },
): Promise<ExportedTeam> {
  const client = await connectForBackup(databaseUrl);
  try {
    await client.query('begin isolation level repeatable read read only');
    const stored = await findTables(client);
    const known = new Set([...tables.map(({ name }) => name), ...other]);
    const unknown = stored.find(({ name }) => !known.has(name) && !name.startsWith('graphile_worker.'));
    if (unknown !== undefined)
      throw new Error(
        `The table ${unknown.name} is in neither teamTables nor otherTables: add it to cli/team-tables.ts`,
      );
    await whileHeld(await exportSnapshot(client));
    await mkdir(folder, { recursive: true });
    const exported: ExportedTable[] = [];
    for (const { name, rows, replaced = {} } of tables) {
      const columns = await selectOwnColumns(client, name);
      const table = { name, columns: columns.map((column) => column.name) };
      const values = table.columns.map((column) => replaced[column] ?? column);
      const query = `select ${values.join(', ')} from ${name} where ${ofTeam(rows, teamId)} order by ${await findOrder(client, name)}`;
      exported.push(
        await exportTable(client, table, folder, { query, step: createResealer(table, resealing) }),
      );
    }
    return { schema: await readSchema(client), tables: exported };
  } finally {
    await client.end();
  }
}

export const ofTeam = (rows: string, teamId: string): string =>
  rows.replaceAll('$team', pg.escapeLiteral(teamId));

/** Returns quoted names and types, without columns that the new database numbers itself. */
export async function selectOwnColumns(
  client: pg.ClientBase,
  table: string,
): Promise<{ name: string; type: string }[]> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `select quote_ident(attname) as name, (select typname from pg_type where oid = atttypid) as type from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''
     order by attnum`,
    [table],
  );
  return rows;
}

/** Rows keep the order of their numbers. */
async function findOrder(client: pg.Client, table: string): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(attname) as name from pg_attribute where attrelid = $1::regclass and attidentity <> ''`,
    [table],
  );
  return rows[0]?.name ?? '1';
}

export async function readSchema(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ schema: number }>(
    'select max(version) as schema from schema_migrations',
  );
  return rows[0]?.schema ?? 0;
}
