import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Defect, withDefect } from './defect.ts';
import { type Run, runNamedTest } from './run-named-test.ts';
import { createWorkingCopy } from './working-copy.ts';

/** Only `caught` is well. `idle`: its test is not green, or does not exist, without the defect. */
export interface Verdict {
  defect: Defect;
  kind: 'caught' | 'survived' | 'failed otherwise' | 'idle';
  /** What the test said, or what else went wrong. */
  words: string;
  seconds: number;
}

/**
 * Breaks copies of the tree, one defect at a time in each, and asks the defect's own test: green before, red with it,
 * because an assertion failed. Verdicts come as they are found.
 */
export async function* commitSabotage(
  tree: string,
  defects: readonly Defect[],
  options: { serverUrl: string; jobs: number },
): AsyncGenerator<Verdict> {
  const waiting = [...defects];
  const green = new Map<string, Promise<Run>>();
  const lane = async function* (): AsyncGenerator<Verdict> {
    const copy = await createWorkingCopy(tree);
    try {
      for (let defect = waiting.shift(); defect !== undefined; defect = waiting.shift()) {
        yield await judge(copy.root, defect, options.serverUrl, green);
      }
    } finally {
      await copy.remove();
    }
  };
  yield* together(Array.from({ length: Math.min(options.jobs, defects.length) }, lane));
}

async function judge(
  root: string,
  defect: Defect,
  serverUrl: string,
  green: Map<string, Promise<Run>>,
): Promise<Verdict> {
  const { test } = defect;
  const began = performance.now();
  const verdict = (kind: Verdict['kind'], words: string): Verdict => ({
    defect,
    kind,
    words,
    seconds: (performance.now() - began) / 1000,
  });
  const key = `${test.file}\n${test.name}`;
  const unbroken = green.get(key) ?? runNamedTest(root, test, serverUrl);
  green.set(key, unbroken);
  const idle = whyNotGreen(await unbroken);
  if (idle !== null) return verdict('idle', idle);
  const file = join(root, defect.file);
  const text = await readFile(file, 'utf8');
  await writeFile(file, withDefect(defect, text));
  try {
    const { outcomes, died, words } = await runNamedTest(root, test, serverUrl);
    const red = outcomes.find(({ assertion }) => assertion);
    if (red !== undefined) return verdict('caught', red.message);
    const failed = outcomes.find(({ passed }) => !passed);
    if (failed === undefined && !died && outcomes.length > 0) return verdict('survived', '');
    return verdict('failed otherwise', failed?.message ?? (words || 'no test ran'));
  } finally {
    await writeFile(file, text);
  }
}

function whyNotGreen({ outcomes, died, words }: Run): string | null {
  const failed = outcomes.find(({ passed }) => !passed);
  if (failed !== undefined) return `red without the defect: ${failed.message}`;
  if (died) return `died without the defect: ${words}`;
  return outcomes.length === 0 ? 'no test has this name' : null;
}

/** What several sources yield, as it comes. */
async function* together<Item>(sources: readonly AsyncGenerator<Item>[]): AsyncGenerator<Item> {
  const next = (source: AsyncGenerator<Item>) => source.next().then((result) => ({ source, result }));
  const pending = new Map(sources.map((source) => [source, next(source)]));
  while (pending.size > 0) {
    const { source, result } = await Promise.race(pending.values());
    if (result.done === true) pending.delete(source);
    else {
      pending.set(source, next(source));
      yield result.value;
    }
  }
}
