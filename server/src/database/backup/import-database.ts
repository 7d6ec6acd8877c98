import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import {
  type ExportedDatabase,
  type ExportedTable,
  type RowStep,
  readJobSchema,
  unchanged,
} from './export-database.ts';
import { type FileFormat, plainFiles } from './file-format.ts';
import { connectForBackup, findTables, ownSchemas } from './stored-tables.ts';

/** The backup does not fit this database, or it is damaged. */
export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused';
}

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
    const found = existing.get(name)?.columns ?? [];
    if (columns.some((column) => !found.includes(column)))
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

/** Inserts the rows of a table's file in their order, changed by `step`. */
export async function importTable(
  client: pg.Client,
  table: ExportedTable,
  folder: string,
  { step = unchanged, format = plainFiles }: { step?: RowStep; format?: FileFormat },
): Promise<void> {
  const { name, columns, file } = table;
  const hash = createHash('sha256');
  const check = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const rows = client.query(copyFrom(`copy ${name} (${columns.join(', ')}) from stdin`));
  await pipeline(
    createReadStream(join(folder, file + format.suffix)),
    format.convert,
    createGunzip(),
    check,
    step,
    rows,
  );
  if (rows.rowCount !== table.rows || hash.digest('hex') !== table.sha256)
    throw new RestoreRefused(`${file} is damaged: it does not hold the rows that the backup wrote`);
}
