import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { main } from '../../../scripts/demo/service-process.ts';
import { eventually } from '../eventually.ts';
import { startScratchServer } from '../scratch-server.ts';
import { createDeployment } from './deployment.ts';
import { createTeam, signIn } from './linked-bot.ts';

const MiB = 2 ** 20;

/** A group of processes whose memory the kernel limits. */
interface LimitedGroup {
  /** Moves a shell to the group and then starts its arguments. */
  launcher: readonly [string, ...string[]];
  processIds(): Promise<string[]>;
  /** The kernel removes a group only when its last process has ended. */
  remove(): Promise<void>;
}

/** Returns undefined if this user may not create such a group, or the system has none. */
function createLimitedGroup(bytes: number): LimitedGroup | undefined {
  // Version 1 of the interface has a folder of its own for memory.
  const isFirst = existsSync('/sys/fs/cgroup/memory/memory.limit_in_bytes');
  try {
    const group = mkdtempSync(`/sys/fs/cgroup/${isFirst ? 'memory/' : ''}parley-`);
    writeFileSync(join(group, isFirst ? 'memory.limit_in_bytes' : 'memory.max'), String(bytes));
    const members = join(group, 'cgroup.procs');
    return {
      launcher: ['/bin/sh', '-c', `echo $$ > ${members} && exec "$@"`, 'limited'],
      processIds: async () => (await readFile(members, 'utf8')).trim().split('\n'),
      remove: () => eventually(async () => rmdirSync(group), 30_000),
    };
  } catch {
    return undefined;
  }
}

const cannotLimit = 'needs the right to limit the memory of a process group (cgroup)';

async function startLimitedApi(group: LimitedGroup) {
  const server = await startScratchServer();
  after(() => server.remove());
  const deployment = await createDeployment();
  // The deployment ends its processes first, in the order of these calls.
  after(() => group.remove());
  const environment = { ROLES: 'api', DATABASE_URL: server.url, SIMULATOR_URL: 'http://127.0.0.1:9' };
  const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');
  const launch = { command: [...group.launcher, process.execPath, main] as const };
  const program = await deployment.start({ ...environment, ENCRYPTION_KEY }, launch);
  const partner = await signIn(program);
  const teamId = await createTeam(partner, 'Lumen Bikes');
  const upload = async (name: string) => {
    const body = new FormData();
    body.append('team_id', teamId);
    body.append('file', new Blob(['A helmet is included with every bicycle.'.repeat(10_000)]), name);
    const response = await fetch(`${program.url}/api/openapi/v1/documents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${partner.token()}` },
      body,
    });
    // The envelope of every response.
    return { status: response.status, body: (await response.json()) as { error?: string } };
  };
  return { program, upload };
}

test('an api with 400 MiB refuses documents and goes on', async (t) => {
  const group = createLimitedGroup(400 * MiB);
  if (group === undefined) return t.skip(cannotLimit);
  const { program, upload } = await startLimitedApi(group);
  await program.hasLogged('no document reader fits into the memory limit; documents are refused');
  for (const { status, body } of await Promise.all(
    Array.from({ length: 40 }, (_, n) => upload(`offer-${n}.txt`)),
  )) {
    assert.equal(status, 503);
    assert.equal(body.error, 'This server has too little memory to read documents; try again');
  }
  assert.deepEqual(await group.processIds(), [String(program.child.pid)]);
  // The console opens in the background.
  await eventually(async () => assert.equal((await fetch(`${program.url}/readyz`)).status, 200));
  await program.stop();
});

test('an api with 700 MiB reads documents one at a time', async (t) => {
  const group = createLimitedGroup(700 * MiB);
  if (group === undefined) return t.skip(cannotLimit);
  const { program, upload } = await startLimitedApi(group);
  await program.hasLogged('the memory limit leaves fewer or smaller document readers');
  assert.equal((await upload('offer.txt')).status, 200);
  await program.stop();
});
