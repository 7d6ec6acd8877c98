import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TEST_SERVER_VARIABLE } from '../../server/test/test-server.ts';
import type { NamedTest } from './defect.ts';
import type { TestOutcome } from './outcome-reporter.ts';

const reporter = fileURLToPath(new URL('outcome-reporter.ts', import.meta.url));
/** A test that waits for what a defect keeps from happening fails by its own deadline, well before this. */
const deadlineMs = 180_000;

/** `died`: the file came to no end of its own; `words` is the last it said. */
export interface Run {
  outcomes: TestOutcome[];
  died: boolean;
  words: string;
}

/** Runs a test of a tree in a process of its own, on the PostgreSQL at `serverUrl`. */
export async function runNamedTest(root: string, test: NamedTest, serverUrl: string): Promise<Run> {
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const child = spawn(
    process.execPath,
    [`--test-name-pattern=${literally(test.name)}`, `--test-reporter=${reporter}`, join(root, test.file)],
    {
      cwd: root,
      env: { ...environment, [TEST_SERVER_VARIABLE]: serverUrl },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that what the test has started ends with it.
      detached: true,
    },
  );
  const [said, complained]: [string[], string[]] = [[], []];
  child.stdout.setEncoding('utf8').on('data', (text: string) => said.push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => complained.push(text));
  const timer = setTimeout(() => endGroup(child.pid), deadlineMs);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  clearTimeout(timer);
  const outcomes = outcomesIn(said.join(''));
  const failed = outcomes.some(({ passed }) => !passed);
  return { outcomes, died: code !== 0 && !(code === 1 && failed), words: complained.join('').trim() };
}

const literally = (name: string): string => name.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** A test may print, too. */
const outcomesIn = (text: string): TestOutcome[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{"name":'))
    .map((line) => JSON.parse(line));

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
