import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testServerVariable } from '../../server/test/test-server.ts';
import type { NamedTest } from './defect.ts';
import type { TestOutcome } from './outcome-reporter.ts';

const reporter = fileURLToPath(new URL('outcome-reporter.ts', import.meta.url));
/** Tests have shorter deadlines of their own. This one ends a test that hangs. */
const timeoutMs = 180_000;

export interface TestRun {
  outcomes: TestOutcome[];
  /** True when the process ended abnormally rather than with test failures. */
  crashed: boolean;
  stderr: string;
}

/** Runs one test of a tree in a separate process, on the PostgreSQL at `serverUrl`. */
export async function runNamedTest(root: string, test: NamedTest, serverUrl: string): Promise<TestRun> {
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const child = spawn(
    process.execPath,
    [`--test-name-pattern=${escapePattern(test.name)}`, `--test-reporter=${reporter}`, join(root, test.file)],
    {
      cwd: root,
      env: { ...environment, [testServerVariable]: serverUrl },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own, so that a timeout also ends the test's children.
      detached: true,
    },
  );
  const [stdout, stderr]: [string[], string[]] = [[], []];
  child.stdout.setEncoding('utf8').on('data', (text: string) => stdout.push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => stderr.push(text));
  const timer = setTimeout(() => killGroup(child.pid), timeoutMs);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  clearTimeout(timer);
  const outcomes = parseOutcomes(stdout.join(''));
  const failed = outcomes.some(({ passed }) => !passed);
  return { outcomes, crashed: code !== 0 && !(code === 1 && failed), stderr: stderr.join('').trim() };
}

const escapePattern = (name: string): string => name.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** Skips lines that the test itself printed. */
const parseOutcomes = (text: string): TestOutcome[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{"name":'))
    .map((line) => JSON.parse(line));

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has just ended.
  }
}
