import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { createDeployment } from '../start-stop/deployment.ts';
import { createTeam, signIn } from '../start-stop/linked-bot.ts';

/** Mounts a small file system. Returns its folder, or null if this user may not. */
async function mountSmallDisk(): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-small-disk-'));
  const options = { stdio: 'ignore' } as const;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256m,mode=755', 'tmpfs', folder], options);
  } catch {
    await rm(folder, { recursive: true });
    return null;
  }
  after(async () => {
    execFileSync('umount', ['--lazy', folder], options);
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

function fillDisk(file: string): void {
  const fd = openSync(file, 'w');
  const chunk = Buffer.alloc(64 * 1024);
  try {
    for (;;) writeSync(fd, chunk);
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
  } finally {
    closeSync(fd);
  }
}

const disk = await mountSmallDisk();
const skip = disk === null ? 'mounting a small file system needs root' : false;

test('refuses writes with 503 while the disk is full, loses nothing, and goes on when it has room', {
  skip,
}, async () => {
  const folder = disk ?? '';
  mkdirSync(join(folder, 'data'), { mode: 0o700 });
  const deployment = await createDeployment();
  const program = await deployment.start({ DATA_DIR: join(folder, 'data'), RATE_LIMIT_PER_MINUTE: '0' });
  const partner = await signIn(program);
  const teamId = await createTeam(partner, 'Lumen Bikes');
  const headers = { authorization: `Bearer ${partner.token()}` };
  const api = `${program.url}/api/openapi/v1`;
  const createBot = (name: string) =>
    fetch(`${api}/bots`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ team_id: teamId, name, instructions: randomBytes(20_000).toString('base64') }),
    });
  const upload = () => {
    const form = new FormData();
    form.set('team_id', teamId);
    form.set('file', new File([randomBytes(200_000).toString('base64')], 'manual.txt'));
    return fetch(`${api}/documents`, { method: 'POST', headers, body: form });
  };
  const readyz = async () => (await fetch(`${program.url}/readyz`)).status;
  await eventually(async () => assert.equal(await readyz(), 200));

  const filler = join(folder, 'filler');
  fillDisk(filler);
  const acknowledged: string[] = [];
  let refusals = 0;
  for (let n = 0; refusals < 5; n += 1) {
    assert.ok(n < 500, 'no write was refused');
    const response = await createBot(`bot ${n}`);
    const { data, details } = (await response.json()) as {
      data?: { id: string };
      details?: { reason: string };
    };
    if (response.status === 200) acknowledged.push(data?.id ?? '');
    else {
      refusals += 1;
      assert.deepEqual([response.status, details?.reason], [503, 'storage_full']);
      assert.match(response.headers.get('retry-after') ?? '', /^\d+$/);
    }
  }
  const uploaded = await upload();
  const { details } = (await uploaded.json()) as { details?: { reason: string } };
  assert.deepEqual([uploaded.status, details?.reason], [503, 'storage_full']);
  assert.equal(await readyz(), 503);
  assert.equal((await fetch(`${api}/teams/${teamId}`, { headers })).status, 200, 'reads go on');

  rmSync(filler);
  await eventually(async () => assert.equal(await readyz(), 200), 40_000);
  assert.equal((await createBot('last')).status, 200);
  assert.equal((await upload()).status, 200);
  for (const id of acknowledged) assert.equal((await fetch(`${api}/bots/${id}`, { headers })).status, 200);
  await program.stop();
});
