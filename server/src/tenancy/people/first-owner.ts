import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../platform/database/database.ts';
import { createLink, isLinkValid } from './links.queries.ts';
import { anyOwnerIsActive, lockSetUp } from './people.queries.ts';

const lifetimeHours = 24;

export interface SetUpLink {
  url: string;
  file: string;
}

/**
 * Returns the link that creates the first owner, or null if an owner can sign in. It is also in a file of `dataDir`. Processes that share
 * the folder, and later starts, use the same link while it is valid.
 */
export async function ensureSetUpLink({
  db,
  dataDir,
  baseUrl,
}: {
  db: Database;
  dataDir: string;
  baseUrl: string;
}): Promise<SetUpLink | null> {
  const file = join(dataDir, 'first-sign-in.txt');
  return db.transaction().execute(async (tx) => {
    await lockSetUp(tx);
    if (await anyOwnerIsActive(tx)) {
      await rm(file, { force: true });
      return null;
    }
    const written = (await readFile(file, 'utf8').catch(() => '')).trim().split('#')[1] ?? '';
    const token = (await isLinkValid(tx, 'setup', written))
      ? written
      : (await createLink(tx, { kind: 'setup', userId: null, hours: lifetimeHours })).token;
    const url = `${baseUrl.replace(/\/$/, '')}/console/setup#${token}`;
    // Before the commit: a file without a link is harmless, but a link without a file would be lost.
    await writeLink(dataDir, file, url);
    return { url, file };
  });
}

async function writeLink(dataDir: string, file: string, url: string): Promise<void> {
  const temporaryFile = `${file}.${process.pid}.tmp`;
  await mkdir(dataDir, { recursive: true });
  await rm(temporaryFile, { force: true });
  await writeFile(temporaryFile, `${url}\n`, { mode: 0o600, flag: 'wx', flush: true });
  await rename(temporaryFile, file);
}
