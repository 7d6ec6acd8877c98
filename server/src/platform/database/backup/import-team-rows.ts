import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { RestoreRefused } from './archive-file.ts';
import { type ExportedTable, tableFile } from './export-database.ts';
import { importTable } from './import-database.ts';
import { createResealer } from './sealed-rows.ts';
import {
  checkOwner,
  checkReferences,
  checkValues,
  type References,
  type StagedTable,
} from './staged-rows.ts';
import { connectForBackup } from './stored-tables.ts';
import {
  type ExportedTeam,
  ofTeam,
  readSchema,
  selectOwnColumns,
  type TeamRowsOptions,
  type TeamTable,
} from './team-rows.ts';

export interface TeamImport extends TeamRowsOptions {
  references: References;
  /** Statements that end the transaction of the rows. */
  finish: readonly string[];
  /** Runs while no other import of the team can run, before anything is read. */
  prepare(): Promise<void>;
  /** Gets the rows before they are inserted, to check and to store what belongs to them. */
  store(staged: { settings: unknown[]; fileKeys: string[] }): Promise<void>;
  /** Removes what `store` stored, if no row was inserted. */
  discard(): Promise<void>;
}

/**
 * Inserts all rows of a team that is not in this deployment, or none. The archive is untrusted: its names do not go into SQL, its rows
 * wait in temporary tables until all of them were checked, and columns that concern the deployment get the values of this one. Throws
 * `RestoreRefused`.
 */
export async function importTeamRows(
  databaseUrl: string,
  teamId: string,
  exported: ExportedTeam,
  options: TeamImport,
): Promise<void> {
  const client = await connectForBackup(databaseUrl);
  try {
    await requireOnlyImport(client, teamId);
    await requireSchema(client, exported);
    await options.prepare();
    try {
      const staged = await stageTables(client, exported.tables, options);
      await checkReferences(client, staged, options.references);
      await options.store({
        settings: await selectValues(client, staged, ({ name }) =>
          name === 'teams' ? 'settings' : undefined,
        ),
        fileKeys: (await selectValues(client, staged, ({ fileKey }) => fileKey)).map(String),
      });
      await client.query('begin');
      await insertRows(client, teamId, staged);
      for (const statement of options.finish) await client.query(statement);
    } catch (error) {
      // A job deletes files without rows, if the file store refuses.
      await options.discard().catch(() => undefined);
      throw toRefusal(error);
    }
    // A lost connection leaves open whether this committed. A job deletes files without rows.
    await client.query('commit');
  } finally {
    await client.end();
  }
}

async function requireOnlyImport(client: pg.ClientBase, teamId: string): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_lock(hashtextextended('parley team import ' || $1, 0)) as locked`,
    [teamId],
  );
  if (rows[0]?.locked !== true) throw new RestoreRefused('Another import of this team is running');
}

async function requireSchema(client: pg.ClientBase, exported: ExportedTeam): Promise<void> {
  const schema = await readSchema(client);
  if (schema !== exported.schema)
    throw new RestoreRefused(
      `The team was exported from schema version ${exported.schema}, and this deployment has ${schema}: bring both to the same version of Parley`,
    );
}

async function stageTables(
  client: pg.ClientBase,
  archived: readonly ExportedTable[],
  { tables, folder, ...resealing }: TeamImport,
): Promise<StagedTable[]> {
  const files = new Map(archived.map((table) => [table.name, table]));
  const surplus = archived.find(({ name }) => !tables.some((table) => table.name === name));
  if (surplus !== undefined || files.size !== archived.length)
    throw new RestoreRefused(`The export has a table that does not move with a team`);
  const all: StagedTable[] = [];
  for (const [at, table] of tables.entries()) {
    const file = files.get(table.name);
    if (file === undefined) throw new RestoreRefused(`The export lacks the table ${table.name}`);
    const columns = await selectOwnColumns(client, table.name);
    const expected = columns.map(({ name }) => name);
    if (!isDeepStrictEqual(file.columns.toSorted(), expected.toSorted()))
      throw new RestoreRefused(
        `The table ${table.name} of the export does not have the columns of this Parley`,
      );
    await requireBoundedSize(file, folder);
    const staged = { table, columns, staged: `pg_temp.staged_${at}` };
    await client.query(
      `create temporary table staged_${at} as select ${expected.join(', ')} from ${table.name} with no data`,
    );
    await client.query(`alter table ${staged.staged} add staged_order bigint generated always as identity`);
    // The archive orders the columns. Their names are those of the catalogue.
    const read = { ...file, name: table.name };
    await importTable(client, read, folder, { step: createResealer(read, resealing), into: staged.staged });
    await checkValues(client, staged);
    all.push(staged);
  }
  return all;
}

/** Text rarely shrinks to a twentieth. More than this is made to fill the disk. */
const maxRatio = 200;
const freeBytes = 64 * 1024 * 1024;

async function requireBoundedSize({ name, bytes }: ExportedTable, folder: string): Promise<void> {
  const found = await stat(join(folder, tableFile(name))).catch(() => null);
  if (bytes > freeBytes + maxRatio * (found?.size ?? 0))
    throw new RestoreRefused(`${tableFile(name)} unpacks to more than ${maxRatio} times its size`);
}

/** Numbered rows keep their order. */
async function insertRows(client: pg.ClientBase, teamId: string, all: readonly StagedTable[]): Promise<void> {
  for (const one of all) {
    const { table, staged, columns } = one;
    const { name, rows, replaced = {}, adapted = {} } = table;
    await checkOwner(client, one, ofTeam(rows, teamId));
    const names = columns.map((column) => column.name);
    const values = names.map((column) => adapted[column] ?? replaced[column] ?? column);
    await client.query(
      `insert into ${name} (${names.join(', ')}) select ${values.join(', ')} from ${staged} order by staged_order`,
    );
  }
}

/** Returns the values of a column of each table. */
async function selectValues(
  client: pg.ClientBase,
  all: readonly StagedTable[],
  columnOf: (table: TeamTable) => string | undefined,
): Promise<unknown[]> {
  const values: unknown[] = [];
  for (const { table, staged } of all) {
    const column = columnOf(table);
    if (column === undefined) continue;
    const { rows } = await client.query<{ value: unknown }>(
      `select distinct ${column} as value from ${staged} where ${column} is not null`,
    );
    for (const { value } of rows) values.push(value);
  }
  return values;
}

const [uniqueViolation, foreignKeyViolation] = ['23505', '23503'];
/** Invalid and too large values, missing and refused ones, and too deep JSON. */
const invalidData = /^(22|23|54)/;

function toRefusal(error: unknown): unknown {
  const { code = '', detail, table } = Object(error) as Partial<pg.DatabaseError>;
  if (code === uniqueViolation)
    return new RestoreRefused(`The team, or its phone, is in this deployment already (${table}: ${detail})`);
  if (code === foreignKeyViolation)
    return new RestoreRefused(
      `This deployment lacks something that the team refers to (${detail}): create it first`,
    );
  if (error instanceof pg.DatabaseError && invalidData.test(code))
    return new RestoreRefused(`The export holds rows that do not fit (${table ?? ''} ${error.message})`);
  return error;
}
