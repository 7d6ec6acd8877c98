import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLastRelease } from './last-release.ts';
import type { Outcome } from './outcome.ts';
import { formatResults } from './table.ts';

/**
 * Writes the outcomes to `<name>.md` for readers and `<name>.json` with every run. Keeps earlier rows that were not
 * measured this time, and deletes rows that are not in `rowNames`. Returns the path of the Markdown file.
 */
export async function storeResults(
  place: { directory: string; name: string; rowNames: readonly string[] },
  measured: readonly Outcome[],
): Promise<string> {
  const { directory, name, rowNames } = place;
  await mkdir(directory, { recursive: true });
  const json = join(directory, `${name}.json`);
  const known = new Map([...(await readOutcomes(json)), ...measured].map((row) => [row.name, row]));
  const outcomes = rowNames.flatMap((row) => known.get(row) ?? []);
  const path = join(directory, `${name}.md`);
  await writeFile(path, `# Benchmark: ${name}\n\n${formatResults(outcomes, await readLastRelease())}`);
  await writeFile(json, `${JSON.stringify({ outcomes }, null, 2)}\n`);
  return path;
}

async function readOutcomes(path: string): Promise<readonly Outcome[]> {
  try {
    // `storeResults` wrote this file.
    return (JSON.parse(await readFile(path, 'utf8')) as { outcomes: Outcome[] }).outcomes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
