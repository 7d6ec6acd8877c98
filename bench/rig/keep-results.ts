import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Outcome } from './outcome.ts';
import { tableOf } from './table.ts';

/**
 * Puts what was measured into `<name>.md`, for people, and `<name>.json`, with every single run. Rows that were not
 * measured this time stay as they are, those not among `rowNames` go. Answers the path of the former.
 */
export async function keepResults(
  place: { directory: string; name: string; rowNames: readonly string[] },
  measured: readonly Outcome[],
): Promise<string> {
  const { directory, name, rowNames } = place;
  await mkdir(directory, { recursive: true });
  const json = join(directory, `${name}.json`);
  const known = new Map([...(await readOutcomes(json)), ...measured].map((row) => [row.name, row]));
  const outcomes = rowNames.flatMap((row) => known.get(row) ?? []);
  const path = join(directory, `${name}.md`);
  await writeFile(path, `# Benchmark: ${name}\n\n${tableOf(outcomes)}`);
  await writeFile(json, `${JSON.stringify({ outcomes }, null, 2)}\n`);
  return path;
}

async function readOutcomes(path: string): Promise<readonly Outcome[]> {
  try {
    // Written by `keepResults`.
    return (JSON.parse(await readFile(path, 'utf8')) as { outcomes: Outcome[] }).outcomes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
