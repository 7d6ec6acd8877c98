import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openDataDirectory } from './data-directory.ts';

const scratch = await mkdtemp(join(tmpdir(), 'parley-data-directory-'));
after(() => rm(scratch, { recursive: true }));

const warnings: string[] = [];
const logger = { warn: (_: object, message?: string) => void warnings.push(message ?? '') };

const modeOf = async (path: string) => ((await stat(path)).mode & 0o7777).toString(8);

/** Returns the mode of an existing directory after it was opened. */
async function modeAfter(given: number): Promise<string> {
  const path = await mkdtemp(join(scratch, 'data-'));
  await chmod(path, given);
  await writeFile(join(path, 'encryption-key'), 'secret');
  await openDataDirectory(path, logger);
  return modeOf(path);
}

test('creates a directory that only its user can enter', async () => {
  const path = join(scratch, 'new', 'data');
  await openDataDirectory(path, logger);
  assert.equal(await modeOf(path), '700');
  assert.notEqual(await modeOf(join(scratch, 'new')), '700', 'the parents are not closed');
  assert.deepEqual(warnings, []);
});

test('closes an existing directory to other users and reports it', async () => {
  for (const mode of [0o755, 0o777, 0o770]) assert.equal(await modeAfter(mode), '700');
  assert.deepEqual([...new Set(warnings.splice(0))], ['closed DATA_DIR to other users']);
  assert.equal(await modeAfter(0o700), '700');
  assert.deepEqual(warnings, []);
});

test('leaves a directory that users share, and warns', async () => {
  assert.equal(await modeAfter(0o1777), '1777');
  assert.match(warnings.pop() ?? '', /is open to other users/);
});

test('serves from a directory of another user, and warns', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('requires root');
  const path = join(scratch, 'volume');
  await mkdir(path);
  await chmod(scratch, 0o755);
  await chmod(path, 0o777);
  process.seteuid?.(65_534);
  try {
    await openDataDirectory(path, logger);
  } finally {
    process.seteuid?.(0);
  }
  assert.equal(await modeOf(path), '777');
  assert.match(warnings.pop() ?? '', /is open to other users/);
});
