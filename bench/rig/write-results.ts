import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Results, tableOf } from './table.ts';

/** Writes `<name>.md` for people and `<name>.json` with every single run. Answers the former's path. */
export async function writeResults(directory: string, name: string, results: Results): Promise<string> {
  await mkdir(directory, { recursive: true });
  const path = join(directory, `${name}.md`);
  await writeFile(path, `# Benchmark: ${name}\n\n${tableOf(results)}`);
  await writeFile(join(directory, `${name}.json`), `${JSON.stringify(results, null, 2)}\n`);
  return path;
}
