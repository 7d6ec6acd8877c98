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

test('creates a cluster with the settings and removes the draft of a crashed creation', async () => {
  await mkdir(join(parent, 'initdb-crashed/base'), { recursive: true });
  await ensure({ max_connections: '77' });
  assert.deepEqual(await readdir(parent), ['cluster']);
  assert.match(await readFile(join(directory, 'postgresql.conf'), 'utf8'), /^max_connections = 77\b/m);
});

test('leaves an existing cluster unchanged', async () => {
  await mkdir(directory);
  await writeFile(join(directory, 'PG_VERSION'), `${binaries.major}\n`);
  await ensure();
  assert.deepEqual(await readdir(directory), ['PG_VERSION']);
});

test('rejects a cluster of another major version and names both versions', async () => {
  await mkdir(directory);
  await writeFile(join(directory, 'PG_VERSION'), '16\n');
  await assert.rejects(ensure(), { reason: 'other_version', message: /PostgreSQL 16, .* PostgreSQL 18/ });
});

test('rejects other files and does not overwrite them', async () => {
  await mkdir(directory);
  await writeFile(join(directory, 'holiday.jpg'), '');
  await assert.rejects(ensure(), { reason: 'not_a_cluster' });
  assert.deepEqual(await readdir(parent), ['cluster']);
  assert.deepEqual(await readdir(directory), ['holiday.jpg']);
});

test('reports why a creation failed and leaves no files', async () => {
  await assert.rejects(ensure({ no_such_setting: '1' }), {
    reason: 'initdb_failed',
    message: /no_such_setting.*DATABASE_URL/,
  });
  assert.deepEqual(await readdir(parent), []);
});
