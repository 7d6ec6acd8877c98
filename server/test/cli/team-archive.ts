import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

interface ArchivedTable {
  name: string;
  columns: string[];
  file: string;
  rows: number;
  bytes: number;
  sha256: string;
}

export interface ArchiveManifest {
  teamId: string;
  tables: ArchivedTable[];
  files: Record<string, { bytes: number; sha256: string }>;
}

export const digest = (bytes: Uint8Array): { bytes: number; sha256: string } => ({
  bytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

/** Changes an exported team as its author could: every checksum is right again afterwards. */
export function openArchive(folder: string) {
  const path = join(folder, 'team.json');
  const readManifest = async (): Promise<ArchiveManifest> => JSON.parse(await readFile(path, 'utf8'));
  const editManifest = async (edit: (manifest: ArchiveManifest) => void): Promise<void> => {
    const manifest = await readManifest();
    edit(manifest);
    await writeFile(path, JSON.stringify(manifest));
  };
  const read = async (name: string): Promise<{ columns: string[]; rows: string[][] }> => {
    const table = (await readManifest()).tables.find((found) => found.name === name);
    if (table === undefined) throw new Error(`no table ${name}`);
    const text = gunzipSync(await readFile(join(folder, 'rows', table.file))).toString();
    return {
      columns: table.columns,
      rows: text
        .split('\n')
        .slice(0, -1)
        .map((row) => row.split('\t')),
    };
  };
  const write = async (name: string, rows: readonly string[][]): Promise<void> => {
    const bytes = Buffer.from(rows.map((row) => `${row.join('\t')}\n`).join(''));
    await editManifest(({ tables }) => {
      for (const table of tables)
        if (table.name === name) Object.assign(table, digest(bytes), { rows: rows.length });
    });
    await writeFile(join(folder, 'rows', `${name}.copy.gz`), gzipSync(bytes));
  };
  return {
    read,
    write,
    editManifest,
    /** Sets a value, in the text format of COPY, in the row at `at` modulo their number. */
    async set(name: string, column: string, value: string, at = 0): Promise<void> {
      const { columns, rows } = await read(name);
      const row = rows[at % Math.max(rows.length, 1)];
      const index = columns.indexOf(column);
      if (row === undefined || index === -1) return;
      row[index] = value;
      await write(name, rows);
    },
    async addFile(key: string, content: string): Promise<void> {
      await editManifest(({ files }) => {
        files[key] = digest(Buffer.from(content));
      });
    },
  };
}
