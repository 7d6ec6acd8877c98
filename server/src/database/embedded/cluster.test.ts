import assert from 'node:assert/strict';
import { chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { prepareBinaries } from './binaries.ts';
import { ensureCluster } from './cluster.ts';
import { chooseServerAccount } from './server-account.ts';
import { copyDirectories } from './server-home.ts';

const scratch = await mkdtemp(join(tmpdir(), 'parley-cluster-'));
after(() => rm(scratch, { recursive: true, force: true }));

const account = await chooseServerAccount(scratch);
const binaries = await prepareBinaries({ account, copyDirectories: copyDirectories(scratch) });
let parent = '';
let directory = '';
beforeEach(async () => {
  parent = await mkdtemp(join(scratch, 'home-'));
  if (account !== undefined) await chown(parent, account.uid, account.gid);
  directory = join(parent, 'cluster');
});

const ensure = (settings = {}) => ensureCluster({ directory, binaries, account, settings });

test('a new cluster has the settings, and what a crashed creation left is removed', async () => {
  await mkdir(join(parent, 'initdb-crashed/base'), { recursive: true });
  await ensure({ max_connections: '77' });
  assert.deepEqual(await readdir(parent), ['cluster']);
  assert.match(await readFile(join(directory, 'postgresql.conf'), 'utf8'), /^max_connections = 77\b/m);
});

test('a cluster that exists is left as it is', async () => {
  await mkdir(directory);
  await writeFile(join(directory, 'PG_VERSION'), `${binaries.major}\n`);
  await ensure();
  assert.deepEqual(await readdir(directory), ['PG_VERSION']);
});

test('a cluster of another major version is refused with both versions named', async () => {
  await mkdir(directory);
  await writeFile(join(directory, 'PG_VERSION'), '16\n');
  await assert.rejects(ensure(), { reason: 'other_version', message: /PostgreSQL 16, .* PostgreSQL 18/ });
});

test('files that are no cluster are neither used nor overwritten', async () => {
  await mkdir(directory);
  await writeFile(join(directory, 'holiday.jpg'), '');
  await assert.rejects(ensure(), { reason: 'not_a_cluster' });
  assert.deepEqual(await readdir(parent), ['cluster']);
  assert.deepEqual(await readdir(directory), ['holiday.jpg']);
});

test('a creation that fails tells why and leaves nothing', async () => {
  await assert.rejects(ensure({ no_such_setting: '1' }), {
    reason: 'initdb_failed',
    message: /no_such_setting.*DATABASE_URL/,
  });
  assert.deepEqual(await readdir(parent), []);
});
