import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDeployment, key } from './deployment.ts';
import { signIn } from './linked-bot.ts';

test('stores the first key in a private file at the first start, and logs the path of the file only', async () => {
  const deployment = await createDeployment({});
  const first = await deployment.start();
  const file = join(deployment.dataDir, 'first-api-key.json');
  const generated: typeof key = JSON.parse(await readFile(file, 'utf8'));
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.ok(!first.log().includes(generated.key_secret));
  const lines = first.log().trim().split('\n');
  const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg.includes('first API key'));
  assert.deepEqual(
    logged.map((line) => line.file),
    [file],
  );
  await signIn(first, generated);
  await first.stop();

  const second = await deployment.start({
    BOOTSTRAP_KEY_ID: key.key_id,
    BOOTSTRAP_KEY_SECRET: key.key_secret,
  });
  await signIn(second, generated);
  await assert.rejects(signIn(second), { name: 'ParleyError', status: 401 });
  assert.doesNotMatch(second.log(), /first API key/i);
  assert.ok(!second.log().includes(generated.key_secret));
  await second.stop();
});

test('uses a configured first key and stores it nowhere', async () => {
  const deployment = await createDeployment();
  const program = await deployment.start();
  await signIn(program);
  assert.ok(!program.log().includes(key.key_secret));
  await assert.rejects(stat(join(deployment.dataDir, 'first-api-key.json')), { code: 'ENOENT' });
  await program.stop();
});
