import assert from 'node:assert/strict';
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { openInstallation, ordinary } from '../open-installation.ts';
import { createDeployment, key, type Program } from './deployment.ts';
import { signIn } from './linked-bot.ts';

const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');
const METRICS_TOKEN = 'token_of_the_metrics';
const isLinux = process.platform === 'linux';

/** As another program of the account, or root, reads it. */
const readEnvironment = async ({ child }: Program): Promise<string[]> =>
  (await readFile(`/proc/${child.pid}/environ`, 'latin1')).split('\0').filter((variable) => variable !== '');

async function assertErased(program: Program): Promise<void> {
  const shown = await readEnvironment(program);
  for (const secret of [ENCRYPTION_KEY, METRICS_TOKEN, key.key_secret])
    assert.equal(
      shown.find((variable) => variable.includes(secret)),
      undefined,
    );
  assert.ok(shown.includes(`PATH=${process.env['PATH']}`));
  assert.ok(shown.includes('LEASE_SECONDS=2'));
}

test('a running server shows no secret in its environment', { skip: !isLinux && 'needs Linux' }, async () => {
  const deployment = await createDeployment();
  const program = await deployment.start({ ENCRYPTION_KEY, METRICS_TOKEN });
  await assertErased(program);
  await signIn(program);
  const metrics = await fetch(`${program.url}/metrics`, {
    headers: { authorization: `Bearer ${METRICS_TOKEN}` },
  });
  assert.equal(metrics.status, 200);
  await program.stop();
});

/** Creates the folder for the ordinary user. */
async function ownFolder(path: string): Promise<string> {
  await mkdir(path);
  await chmod(dirname(path), 0o755);
  await chown(path, ordinary.uid, ordinary.gid);
  return path;
}

test('neither does one that an ordinary user started', {
  skip: (!isLinux || process.getuid?.() !== 0) && 'needs root, to change the account',
}, async () => {
  const { root, node } = await openInstallation();
  const deployment = await createDeployment();
  const launch = { command: [node, join(root, 'server/src/main.ts')] as const, cwd: '/', ...ordinary };
  const program = await deployment.start(
    { ENCRYPTION_KEY, METRICS_TOKEN, DATA_DIR: await ownFolder(deployment.dataDir) },
    launch,
  );
  await assertErased(program);
  await program.stop();
});

test('reads secrets from files', async () => {
  const deployment = await createDeployment({});
  const file = async (name: string, content: string) => {
    const path = join(deployment.dataDir, '..', name);
    await writeFile(path, `${content}\n`, { mode: 0o600 });
    return path;
  };
  const program = await deployment.start({
    BOOTSTRAP_KEY_ID: key.key_id,
    BOOTSTRAP_KEY_SECRET_FILE: await file('secret', key.key_secret),
    ENCRYPTION_KEY_FILE: await file('encryption-key', ENCRYPTION_KEY),
  });
  await signIn(program);
  await program.stop();
});
