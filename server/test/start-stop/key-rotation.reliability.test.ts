import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../eventually.ts';
import { createDeployment, type Program } from './deployment.ts';
import { createTeam, signIn } from './linked-bot.ts';

/** Creates a bot whose action has a secret header. Returns a function that reads the header. */
async function createSecret(program: Program) {
  const partner = await signIn(program);
  const teamId = await createTeam(partner, 'Lumen Bikes');
  const action = {
    name: 'Hours',
    description: 'Looks up the hours',
    endpoint: 'https://fixture.example/hours',
    headers: { key: 'X-Shop', value: 'port-alder' },
    body: [],
  };
  const { id } = await partner.call<{ id: string }>('POST', '/bots', {
    team_id: teamId,
    name: 'Desk',
    actions: [action],
  });
  return async (current: Program): Promise<string | undefined> => {
    const bot = await (await signIn(current)).call<{ actions: { headers: { value: string } }[] }>(
      'GET',
      `/bots/${id}`,
    );
    return bot.actions[0]?.headers.value;
  };
}

test('rotates the key of the file in DATA_DIR, with the password of the embedded database', {
  timeout: 300_000,
}, async () => {
  const deployment = await createDeployment();
  const keyFile = join(deployment.dataDir, 'encryption-key');
  const first = await deployment.start();
  const readSecret = await createSecret(first);
  await first.stop();
  const oldKey = await readFile(keyFile, 'utf8');
  const newKey = `${randomBytes(32).toString('base64')}\n`;

  await writeFile(keyFile, newKey + oldKey);
  const rotating = await deployment.start();
  assert.equal(await readSecret(rotating), 'port-alder');
  // The job starts at the next full minute.
  await eventually(
    async () => assert.match(rotating.log(), /"msg":"nothing needs the older encryption keys/),
    150_000,
  );
  await rotating.stop();

  await writeFile(keyFile, newKey);
  const rotated = await deployment.start();
  assert.equal(await readSecret(rotated), 'port-alder');
  await rotated.stop();
  await writeFile(keyFile, oldKey);
  await assert.rejects(deployment.start(), /No encryption key opens .*database-password/);
});
