import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

const program = `
  import { waitForClosedOutput } from ${JSON.stringify(new URL('./narrator.ts', import.meta.url))};
  const closed = waitForClosedOutput(process.stdout);
  const timer = setInterval(() => process.stdout.write('a line\\n'), 1);
  await closed;
  clearInterval(timer);
  process.stdout.write('another line\\n', () => process.exit(42));
`;

test('lets the demo stop its services after the reader of its output has exited', async () => {
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: [...stdio] });
  await once(child.stdout ?? assert.fail(), 'data');
  child.stdout?.destroy();
  const [code] = await once(child, 'exit');
  assert.equal(code, 42);
});
