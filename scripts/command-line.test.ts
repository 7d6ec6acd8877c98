import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** The command with its arguments, and the first line of its message. */
const misuses: [string[], RegExp][] = [
  [['scripts/sabotage.ts', '--onyl', 'a'], /^Unknown option '--onyl'/],
  [['scripts/db.ts', '--comand', 'a'], /^Unknown option '--comand'/],
  [['scripts/demo/demo.ts', '--verbos'], /^Unknown option '--verbos'/],
  [['scripts/test.ts', '--no-checks', 'server'], /^Unknown option '--no-checks'/],
  [['scripts/chaos.ts', '--seeds', '3..1'], /^--seeds takes A\.\.B, such as 1\.\.100, not 3\.\.1$/],
  [['scripts/sabotage.ts', '--only', 'no-such-defect'], /^No defect is called no-such-defect$/],
  [['scripts/sabotage.ts', '--jobs', '0'], /^--jobs must be a whole number of at least 1, not 0$/],
  [['scripts/fuzz.ts', '--requests', 'many'], /^--requests must be a whole number of at least 1, not many$/],
  [['bench/answers/answers.ts', '--quick'], /^Unknown option '--quick'/],
  [['bench/bench.ts', '--rows', 'no-such-row'], /^There is no row no-such-row\. Rows: /],
];

for (const [args, message] of misuses) {
  test(`${args.join(' ')} prints the problem and the usage, and runs nothing`, () => {
    const { status, stdout, stderr } = run(...args);
    assert.equal(status, 2);
    assert.equal(stdout, '');
    const [first, second, ...rest] = stderr.trimEnd().split('\n');
    assert.match(first ?? '', message);
    assert.match(second ?? '', /^Usage: npm (run|test) /);
    assert.deepEqual(rest, []);
  });
}

test('--help prints the usage of a command', () => {
  const { status, stdout } = run('scripts/sabotage.ts', '--help');
  assert.equal(status, 0);
  assert.match(stdout, /^Usage: npm run sabotage -- \[--only name\]/);
});

test('npm test -- --help prints the usage and runs no tests', () => {
  const { status, stdout } = run('scripts/test.ts', '--help');
  assert.equal(status, 0);
  assert.match(stdout, /^Usage: npm test \[-- .*\n$/);
});
