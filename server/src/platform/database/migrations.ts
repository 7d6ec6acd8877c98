import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const migrationsDirectory = join(import.meta.dirname, '../../../migrations');

/** A file `NNNN-name.sql`, never changed once released. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** Earlier versions of Parley cannot work on the schema from here on. */
  readonly isIncompatible: boolean;
  /** Its statements run one after the other without a transaction, for indexes that are built concurrently. */
  readonly isConcurrent: boolean;
  /** SHA-256 of the text with LF line ends, so that a CRLF checkout has the same one. */
  readonly checksum: string;
}

const incompatible = /^-- incompatible with earlier versions/im;
const concurrent = /^-- without a transaction/im;

const fileNamePattern = /^(\d{4})-([a-z0-9-]+)\.sql$/;

/** Returns the version of the newest migration, which is the schema of this Parley. */
export async function readSchemaVersion(): Promise<number> {
  const versions = (await readdir(migrationsDirectory)).map((name) =>
    Number(fileNamePattern.exec(name)?.[1] ?? 0),
  );
  return Math.max(...versions);
}

export async function readMigrations(directory: string = migrationsDirectory): Promise<Migration[]> {
  const fileNames = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  const migrations = await Promise.all(fileNames.map((fileName) => readMigration(directory, fileName)));
  for (const [index, migration] of migrations.entries()) {
    if (migrations[index - 1]?.version === migration.version) {
      throw new Error(`Two migrations in ${directory} have version ${migration.version}.`);
    }
  }
  return migrations;
}

async function readMigration(directory: string, fileName: string): Promise<Migration> {
  const [, version, name] = fileNamePattern.exec(fileName) ?? [];
  if (version === undefined || name === undefined) {
    throw new Error(`${join(directory, fileName)} is not named like a migration (0001-what-it-does.sql).`);
  }
  const sql = (await readFile(join(directory, fileName), 'utf8')).replaceAll('\r\n', '\n');
  const checksum = createHash('sha256').update(sql).digest('hex');
  const [isIncompatible, isConcurrent] = [incompatible.test(sql), concurrent.test(sql)];
  return { version: Number(version), name, sql, isIncompatible, isConcurrent, checksum };
}
