import { mkdir } from 'node:fs/promises';
import type pg from 'pg';
import type { Encryption, SealedColumn } from '../../shared/encryption.ts';
import { type ExportedTable, exportTable } from './export-database.ts';
import { importTable, RestoreRefused } from './import-database.ts';
import { connectForBackup, findTables } from './stored-tables.ts';

/** A table with rows of a team. */
export interface TeamTable {
  name: string;
  /** Condition of the team's rows. `$team` stands for the team's id in quotes. */
  rows: string;
  /** Assignments that adapt the rows to their new deployment. */
  adapt?: string;
}

interface TeamRowsOptions {
  folder: string;
  /** In the order of their foreign keys. */
  tables: readonly TeamTable[];
  sealed: readonly SealedColumn[];
  from: Pick<Encryption, 'open'>;
  to: Pick<Encryption, 'seal'>;
}

export interface ExportedTeam {
  /** The newest migration. */
  schema: number;
  tables: ExportedTable[];
}

/** Writes the rows of one moment, with their values sealed again. `other` names the tables that stay behind. */
export async function exportTeamRows(
  databaseUrl: string,
  teamId: string,
  { tables, folder, other, ...sealing }: TeamRowsOptions & { other: readonly string[] },
): Promise<ExportedTeam> {
  await mkdir(folder, { recursive: true });
  const client = await connectForBackup(databaseUrl);
  try {
    await client.query('begin isolation level repeatable read');
    const stored = await findTables(client);
    const known = new Set([...tables.map(({ name }) => name), ...other]);
    const unknown = stored.find(({ name }) => !known.has(name) && !name.startsWith('graphile_worker.'));
    if (unknown !== undefined) throw new Error(`nobody decided whether ${unknown.name} belongs to a team`);
    const exported: ExportedTable[] = [];
    for (const table of tables) {
      const columns = await selectOwnColumns(client, table.name);
      const rows = `select ${columns.join(', ')} from ${table.name} where ${table.rows.replaceAll('$team', client.escapeLiteral(teamId))}`;
      await client.query(
        `create temporary table moving on commit drop as ${rows} order by ${await findOrder(client, table.name)}`,
      );
      await reseal(client, table.name, sealing);
      exported.push(await exportTable(client, { name: table.name, columns }, folder, 'select * from moving'));
      await client.query('drop table moving');
    }
    return { schema: await readSchema(client), tables: exported };
  } finally {
    await client.end();
  }
}

/** Inserts the rows in one transaction, then runs the statements of `finish` in it. Throws `RestoreRefused`. */
export async function importTeamRows(
  databaseUrl: string,
  exported: ExportedTeam,
  { tables, folder, finish, ...sealing }: TeamRowsOptions & { finish: readonly string[] },
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
    for (const { name, adapt } of tables) {
      const table = files.get(name);
      if (table === undefined) throw new RestoreRefused(`The export lacks the table ${name}`);
      const columns = table.columns.join(', ');
      await client.query(
        `create temporary table moving on commit drop as select ${columns} from ${name} with no data`,
      );
      await importTable(client, table, folder, 'moving');
      await reseal(client, name, sealing);
      if (adapt !== undefined) await client.query(`update moving set ${adapt}`);
      await client.query(`insert into ${name} (${columns}) select ${columns} from moving`);
      await client.query('drop table moving');
    }
    for (const statement of finish) await client.query(statement);
    await client.query('commit');
  } catch (error) {
    throw toRefusal(error);
  } finally {
    await client.end();
  }
}

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

/** Seals the values of `table` in the temporary table `moving` with the keys of `to`. */
async function reseal(
  client: pg.Client,
  table: string,
  { sealed, from, to }: Pick<TeamRowsOptions, 'sealed' | 'from' | 'to'>,
): Promise<void> {
  for (const { column, identity, context } of sealed.filter((column) => column.table === table)) {
    const { rows } = await client.query<{ at: string; value: Buffer; identity: string[] }>(
      `select ctid::text as at, ${column} as value, array[${identity.map((name) => `${name}::text`).join(', ')}] as identity
       from moving where ${column} is not null`,
    );
    const values = rows.map(({ value, identity }) =>
      to.seal(from.open(value, context(...identity)), context(...identity)),
    );
    await client.query(
      `update moving set ${column} = given.value
       from unnest($1::text[], $2::bytea[]) as given (at, value) where moving.ctid = given.at::tid`,
      [rows.map(({ at }) => at), values],
    );
  }
}
