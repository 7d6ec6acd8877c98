import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Defect, withDefect } from './defect.ts';
import { runNamedTest, type TestRun } from './run-named-test.ts';
import { createWorkingCopy } from './working-copy.ts';

export interface DefectResult {
  defect: Defect;
  /** Only `caught` is a success. `no baseline`: the test fails, or does not exist, without the defect. */
  kind: 'caught' | 'survived' | 'failed otherwise' | 'no baseline';
  /** The message of the failed assertion or of another error. */
  message: string;
  seconds: number;
}

/**
 * Puts one defect at a time into copies of the tree and runs the defect's test. The test must pass without the defect and
 * fail by an assertion with it. Yields results as they arrive.
 */
export async function* runDefects(
  tree: string,
  defects: readonly Defect[],
  options: { serverUrl: string; jobs: number },
): AsyncGenerator<DefectResult> {
  const queue = [...defects];
  const baselines = new Map<string, Promise<TestRun>>();
  const worker = async function* (): AsyncGenerator<DefectResult> {
    const copy = await createWorkingCopy(tree);
    try {
      for (let defect = queue.shift(); defect !== undefined; defect = queue.shift()) {
        const started = performance.now();
        const result = await runDefect(copy.root, defect, options.serverUrl, baselines);
        yield { defect, ...result, seconds: (performance.now() - started) / 1000 };
      }
    } finally {
      await copy.remove();
    }
  };
  yield* merge(Array.from({ length: Math.min(options.jobs, defects.length) }, worker));
}

async function runDefect(
  root: string,
  defect: Defect,
  serverUrl: string,
  baselines: Map<string, Promise<TestRun>>,
): Promise<Pick<DefectResult, 'kind' | 'message'>> {
  const { test } = defect;
  const key = `${test.file}\n${test.name}`;
  const baseline = baselines.get(key) ?? runNamedTest(root, test, serverUrl);
  baselines.set(key, baseline);
  const problem = baselineProblem(await baseline);
  if (problem !== null) return { kind: 'no baseline', message: problem };
  const file = join(root, defect.file);
  const source = await readFile(file, 'utf8');
  await writeFile(file, withDefect(defect, source));
  try {
    return classify(await runNamedTest(root, test, serverUrl));
  } finally {
    await writeFile(file, source);
  }
}

function classify({ outcomes, crashed, stderr }: TestRun): Pick<DefectResult, 'kind' | 'message'> {
  const byAssertion = outcomes.find(({ assertion }) => assertion);
  if (byAssertion !== undefined) return { kind: 'caught', message: byAssertion.message };
  const failed = outcomes.find(({ passed }) => !passed);
  if (failed === undefined && !crashed && outcomes.length > 0) return { kind: 'survived', message: '' };
  return { kind: 'failed otherwise', message: failed?.message ?? (stderr || 'no test ran') };
}

function baselineProblem({ outcomes, crashed, stderr }: TestRun): string | null {
  const failed = outcomes.find(({ passed }) => !passed);
  if (failed !== undefined) return `fails without the defect: ${failed.message}`;
  if (crashed) return `crashes without the defect: ${stderr}`;
  return outcomes.length === 0 ? 'no test has this name' : null;
}

/** Yields the items of several generators in the order of their arrival. */
async function* merge<Item>(sources: readonly AsyncGenerator<Item>[]): AsyncGenerator<Item> {
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
