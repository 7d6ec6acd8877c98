import { mkdir } from 'node:fs/promises';
import pg from 'pg';
import { type ExportedTable, exportSnapshot, exportTable } from './export-database.ts';
import { importTable, RestoreRefused } from './import-database.ts';
import { createResealer, type Resealing } from './sealed-rows.ts';
import { connectForBackup, findTables } from './stored-tables.ts';

/** A table with rows of a team. */
export interface TeamTable {
  name: string;
  /** Condition of the team's rows. `$team` stands for the team's id in quotes. */
  rows: string;
  /** SQL values that are exported for columns whose own values concern the old deployment only. */
  replaced?: Readonly<Record<string, string>>;
  /** Assignments that adapt the imported rows to their new deployment. */
  adapt?: string;
}

interface TeamRowsOptions extends Resealing {
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
      const table = { name, columns: await selectOwnColumns(client, name) };
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

/** Inserts the rows in one transaction, then runs the statements of `finish` in it. Throws `RestoreRefused`. */
export async function importTeamRows(
  databaseUrl: string,
  teamId: string,
  exported: ExportedTeam,
  { tables, folder, finish, ...resealing }: TeamRowsOptions & { finish: readonly string[] },
): Promise<void> {
  const client = await connectForBackup(databaseUrl);
  try {
    const schema = await readSchema(client);
    if (schema !== exported.schema)
      throw new RestoreRefused(
        `The team was exported from schema version ${exported.schema}, and this deployment has ${schema}: bring both to the same version of Parley`,
      );
    await client.query('begin');
    const files = new Map(exported.tables.map((table) => [table.name, table]));
    for (const { name, rows, adapt } of tables) {
      const table = files.get(name);
      if (table === undefined) throw new RestoreRefused(`The export lacks the table ${name}`);
      await importTable(client, table, folder, { step: createResealer(table, resealing) });
      if (adapt !== undefined)
        await client.query(`update ${name} set ${adapt} where ${ofTeam(rows, teamId)}`);
    }
    for (const statement of finish) await client.query(statement);
    await client.query('commit');
  } catch (error) {
    throw toRefusal(error);
  } finally {
    await client.end();
  }
}

const ofTeam = (rows: string, teamId: string): string => rows.replaceAll('$team', pg.escapeLiteral(teamId));

const [uniqueViolation, foreignKeyViolation] = ['23505', '23503'];

function toRefusal(error: unknown): unknown {
  const { code, detail, table } = Object(error) as Partial<pg.DatabaseError>;
  if (code === uniqueViolation)
    return new RestoreRefused(`The team, or its phone, is in this deployment already (${table}: ${detail})`);
  if (code === foreignKeyViolation)
    return new RestoreRefused(
      `This deployment lacks something that the team refers to (${detail}): create it first`,
    );
  return error;
}

/** Without columns that the new database numbers itself. */
async function selectOwnColumns(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(attname) as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''
     order by attnum`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** Rows keep the order of their numbers. */
async function findOrder(client: pg.Client, table: string): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(attname) as name from pg_attribute where attrelid = $1::regclass and attidentity <> ''`,
    [table],
  );
  return rows[0]?.name ?? '1';
}

async function readSchema(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ schema: number }>(
    'select max(version) as schema from schema_migrations',
  );
  return rows[0]?.schema ?? 0;
}
