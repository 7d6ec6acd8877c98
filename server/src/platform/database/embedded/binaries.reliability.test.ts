import assert from 'node:assert/strict';
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { findPackage, prepareBinaries } from './binaries.ts';
import { chooseServerAccount } from './server-account.ts';

const scratch = await mkdtemp(join(tmpdir(), 'parley-binaries-'));
await chmod(scratch, 0o755);
after(() => rm(scratch, { recursive: true, force: true }));

const account = await chooseServerAccount(scratch);
const installed = findPackage(`${process.platform}-${process.arch}`);
const isLibrary = (name: string) => /\.(so|dylib)(\.|$)/.test(name);

/** Copies the installed package as npm unpacks it without its install script: files, no links. */
async function unpack(): Promise<string> {
  const target = join(await mkdtemp(join(scratch, 'npm-')), 'package');
  const options = { recursive: true, verbatimSymlinks: true };
  await cp(installed, target, { ...options, filter: (path) => !path.endsWith('.a') });
  const libraries = await readdir(join(target, 'native/lib'), { withFileTypes: true });
  const links = libraries.filter((entry) => entry.isSymbolicLink() && isLibrary(entry.name));
  for (const link of links) await rm(join(link.parentPath, link.name));
  await chmod(dirname(target), 0o755);
  return target;
}

const packageDirectory = await unpack();
const program = join(packageDirectory, 'native/bin/postgres');

test('creates the links that the install script did not create', async () => {
  const binaries = await prepareBinaries({ account, copyDirectories: [], packageDirectory });
  assert.equal(binaries.postgres, program);
  assert.equal(binaries.major, 18);
  const entries = await readdir(join(packageDirectory, 'native/lib'), { withFileTypes: true });
  const links = entries.filter((entry) => entry.isSymbolicLink());
  assert.ok(links.length > 5);
  for (const link of links) {
    assert.ok(
      !(await readlink(join(link.parentPath, link.name))).startsWith('/'),
      'the link must be relative',
    );
  }
});

const skipUnlessRoot = account === undefined && 'only root runs the server as another user';
test('copies an installation from a directory that the account cannot enter', {
  skip: skipUnlessRoot,
}, async () => {
  await chmod(dirname(packageDirectory), 0o700);
  const copies = join(scratch, 'open');
  const { postgres } = await prepareBinaries({ account, copyDirectories: [copies], packageDirectory });
  assert.ok(postgres.startsWith(copies));
  await chmod(dirname(packageDirectory), 0o755);
});

test('copies programs that cannot run in place once, and replaces a damaged copy', async () => {
  await chmod(program, 0o644);
  await writeFile(join(scratch, 'file'), 'a file, so no directory can be below it');
  const copies = join(scratch, 'copies');
  const request = { account, copyDirectories: [join(scratch, 'file/below'), copies], packageDirectory };

  const { postgres } = await prepareBinaries(request);
  assert.ok(postgres.startsWith(copies));
  const first = await stat(postgres);
  assert.equal((await prepareBinaries(request)).postgres, postgres);
  assert.equal((await stat(postgres)).ino, first.ino);

  await truncate(postgres, 0);
  assert.equal((await prepareBinaries(request)).postgres, postgres);
  assert.equal((await stat(postgres)).size, first.size);
  assert.equal((await readdir(copies)).length, 1);
});

test('rejects a copy directory that other users can write to', async () => {
  await chmod(program, 0o644);
  const shared = join(scratch, 'shared');
  await mkdir(shared);
  await chmod(shared, 0o777);
  await assert.rejects(prepareBinaries({ account, copyDirectories: [shared], packageDirectory }), {
    reason: 'binaries_unusable',
    message: /only this user can write to.*DATABASE_URL/,
  });
});

test('suggests DATABASE_URL on a platform without PostgreSQL in npm', () => {
  assert.throws(() => findPackage('plan9-mips'), {
    reason: 'unsupported_platform',
    message: /plan9-mips.*DATABASE_URL/,
  });
});
