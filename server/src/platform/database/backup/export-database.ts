import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { type FileFormat, plainFiles } from './file-format.ts';
import {
  connectForBackup,
  findSequences,
  findTables,
  type StoredSequence,
  type StoredTable,
} from './stored-tables.ts';

export interface ExportedTable extends StoredTable {
  file: string;
  rows: number;
  /** Of the rows, before their compression. */
  bytes: number;
  sha256: string;
}

export interface ExportedDatabase {
  installationId: string;
  documentFolder: string | null;
  /** Versions of the applied migrations. */
  migrations: number[];
  /** The newest migration of the job library; null before its first start. */
  jobSchema: number | null;
  tables: ExportedTable[];
  sequences: StoredSequence[];
}

/**
 * Writes the rows of one moment to `folder`, while others go on writing to the database. `whileHeld` gets the name of the snapshot,
 * which other connections can read as long as it runs.
 */
export async function exportDatabase(
  databaseUrl: string,
  folder: string,
  whileHeld: (snapshot: string) => Promise<void>,
  format: FileFormat,
): Promise<ExportedDatabase> {
  await mkdir(folder, { recursive: true });
  const client = await connectForBackup(databaseUrl);
  try {
    await client.query('begin isolation level repeatable read read only');
    const description = await describe(client);
    await whileHeld(await exportSnapshot(client));
    const tables: ExportedTable[] = [];
    for (const table of await findTables(client))
      tables.push(await exportTable(client, table, folder, { format }));
    return { ...description, tables, sequences: await findSequences(client) };
  } finally {
    await client.end();
  }
}

/** Returns the name of the transaction's snapshot, for other connections. */
export async function exportSnapshot(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ snapshot: string }>('select pg_export_snapshot() as snapshot');
  return rows[0]?.snapshot ?? '';
}

async function describe(client: pg.Client): Promise<Omit<ExportedDatabase, 'tables' | 'sequences'>> {
  const { rows } = await client.query<{
    id: string;
    folder: string | null;
    migrations: number[];
    jobs: boolean;
  }>(
    `select id, document_folder as folder, (select array_agg(version order by version) from schema_migrations) as migrations,
            to_regclass('graphile_worker.migrations') is not null as jobs
     from installation`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the database has no installation row');
  const jobSchema = row.jobs ? await readJobSchema(client) : null;
  return { installationId: row.id, documentFolder: row.folder, migrations: row.migrations, jobSchema };
}

export async function readJobSchema(client: pg.ClientBase): Promise<number | null> {
  const { rows } = await client.query<{ newest: number | null }>(
    'select max(id) as newest from graphile_worker.migrations',
  );
  return rows[0]?.newest ?? null;
}

export const tableFile = (table: string): string => `${table.replaceAll('"', '')}.copy.gz`;

/** A step of a stream of rows in the text format of COPY. */
export type RowStep = (rows: AsyncIterable<Buffer>) => AsyncGenerator<Buffer | string>;

/** Writes the rows of a query, changed by `step`, to a compressed file of `folder`. */
export async function exportTable(
  client: pg.Client,
  table: StoredTable,
  folder: string,
  {
    query = `select ${table.columns.join(', ')} from only ${table.name}`,
    step = unchanged,
    format = plainFiles,
  }: { query?: string; step?: RowStep; format?: FileFormat },
): Promise<ExportedTable> {
  const file = tableFile(table.name);
  const hash = createHash('sha256');
  let bytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  const rows = client.query(copyTo(`copy (${query}) to stdout`));
  await pipeline(
    rows,
    step,
    measure,
    createGzip({ level: 1 }),
    format.convert,
    createWriteStream(join(folder, file + format.suffix), { mode: 0o600, flush: true }),
  );
  return { ...table, file, rows: rows.rowCount ?? 0, bytes, sha256: hash.digest('hex') };
}

export async function* unchanged(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* rows;
}
