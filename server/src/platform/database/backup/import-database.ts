import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { openArchiveFile, RestoreRefused } from './archive-file.ts';
import {
  type ExportedDatabase,
  type ExportedTable,
  type RowStep,
  readJobSchema,
  tableFile,
  unchanged,
} from './export-database.ts';
import { type FileFormat, plainFiles } from './file-format.ts';
import { connectForBackup, findTables, ownSchemas } from './stored-tables.ts';

/** Throws `RestoreRefused` if the database has tables. */
export async function requireEmptyDatabase(databaseUrl: string): Promise<void> {
  const client = await connectForBackup(databaseUrl);
  try {
    const [table] = await findTables(client);
    if (table !== undefined)
      throw new RestoreRefused(`The database is not empty (it has ${table.name}): restore into an empty one`);
  } finally {
    await client.end();
  }
}

/** Fills a database that has the schema of the backup and no other rows. Either all rows are restored, or none. */
export async function importDatabase(
  databaseUrl: string,
  exported: ExportedDatabase,
  folder: string,
  format: FileFormat,
): Promise<void> {
  const client = await connectForBackup(databaseUrl);
  try {
    await requireSchema(client, exported);
    await client.query('begin');
    const names = (await findTables(client)).map(({ name }) => name);
    const references = await dropReferences(client);
    for (const name of names) await client.query(`alter table ${name} disable trigger user`);
    await client.query(`truncate ${names.join(', ')}`);
    for (const table of exported.tables) await importTable(client, table, folder, { format });
    for (const { name, lastValue } of exported.sequences) {
      if (lastValue !== null) await client.query('select setval($1, $2)', [name, lastValue]);
    }
    for (const name of names) await client.query(`alter table ${name} enable trigger user`);
    // Adding a foreign key checks every row.
    for (const add of references) await client.query(add);
    await client.query('commit');
    await client.query('analyze');
  } finally {
    await client.end();
  }
}

async function requireSchema(client: pg.Client, exported: ExportedDatabase): Promise<void> {
  const jobSchema = await readJobSchema(client);
  if (exported.jobSchema !== null && jobSchema !== exported.jobSchema) {
    throw new RestoreRefused(
      `The backup has version ${exported.jobSchema} of the job library's schema, this Parley has ${jobSchema}: restore with the Parley that made the backup`,
    );
  }
  const existing = new Map((await findTables(client)).map((table) => [table.name, table]));
  for (const { name, columns } of exported.tables) {
    const found = existing.get(name)?.columns;
    if (found === undefined || columns.some((column) => !found.includes(column)))
      throw new RestoreRefused(`The table ${name} of the backup does not fit the schema of this Parley`);
  }
}

/** Tables can refer to each other in a circle. Returns the statements that add the foreign keys again. */
async function dropReferences(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ drop: string; add: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
            format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add
     from pg_constraint
     where contype = 'f' and conparentid = 0 and connamespace in (${ownSchemas})`,
  );
  for (const { drop } of rows) await client.query(drop);
  return rows.map(({ add }) => add);
}

/** PostgreSQL accepts rows up to 1 GiB, and would hold one in memory. */
const maxRowBytes = 256 * 1024 * 1024;

/**
 * Inserts the rows of a table's file in their order, changed by `step`. The names go into SQL: take them from the catalogue, never from
 * the archive. Throws `RestoreRefused` if the file does not hold the described rows.
 */
export async function importTable(
  client: pg.ClientBase,
  table: Omit<ExportedTable, 'file'>,
  folder: string,
  {
    step = unchanged,
    into = table.name,
    format = plainFiles,
  }: { step?: RowStep; into?: string; format?: FileFormat },
): Promise<void> {
  const file = tableFile(table.name);
  const damaged = () =>
    new RestoreRefused(`${file} is damaged: it does not hold the rows that the export wrote`);
  const source = (await openArchiveFile(folder, file + format.suffix)).createReadStream();
  const { meter, sha256 } = createMeter(table.bytes, damaged);
  const rows = client.query(copyFrom(`copy ${into} (${table.columns.join(', ')}) from stdin`));
  await pipeline(source, format.convert, createGunzip(), meter, step, rows).catch((error: unknown) => {
    throw isOfZlib(error) ? damaged() : error;
  });
  if (rows.rowCount !== table.rows || sha256() !== table.sha256) throw damaged();
}

/** Passes at most as many bytes as the file is said to hold, so that a small file cannot fill the disk. */
function createMeter(maxBytes: number, damaged: () => Error) {
  const hash = createHash('sha256');
  let [bytes, rowBytes] = [0, 0];
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      const lastRow = chunk.lastIndexOf('\n');
      rowBytes = lastRow === -1 ? rowBytes + chunk.length : chunk.length - lastRow;
      if (bytes > maxBytes || rowBytes > maxRowBytes) done(damaged());
      else done(null, chunk);
    },
  });
  return { meter, sha256: () => hash.digest('hex') };
}

const isOfZlib = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
