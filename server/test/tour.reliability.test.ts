import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startService } from '../../scripts/demo/service-process.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The README waits four seconds. A busy machine may take longer. */
const waitForAnswer = `until call "$BASE/simulator/messages?contact=%2B15550199&device=%2B15550100" | grep -q '"out"'; do sleep 0.2; done`;

test('runs the tour of the README', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-tour-'));
  const service = await startService({ PORT: '0', DATA_DIR: dataDir }, join(dataDir, 'service.log'));
  after(async () => {
    service.child.kill('SIGTERM');
    await service.ended;
    await rm(dataDir, { recursive: true, force: true });
  });
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block);
  assert.ok(blocks.length >= 7);
  const script = blocks
    .join('\n')
    .replace('BASE=http://127.0.0.1:3000', `BASE=${service.addresses.api}`)
    .replace('DATA_DIR=data', `DATA_DIR=${dataDir}`)
    .replace('sleep 4', waitForAnswer);

  const { stdout } = await promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd: root });

  assert.match(stdout, /"published":true/);
  assert.match(stdout, /150 euros/);
  assert.match(stdout, /simulator\?qr=/);
  assert.match(stdout, /Yes, a helmet is included with every bike\./);
  assert.match(stdout, /"activeMessagesUsed":1/);
});
