import { lchown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { rootUnsupported } from './embedded-server.errors.ts';

/** The account PostgreSQL's processes run under and its files belong to. */
export interface ServerAccount {
  readonly uid: number;
  readonly gid: number;
}

/** `nobody` on Linux: there on every distribution, so that no user has to be created. */
const NOBODY: ServerAccount = { uid: 65_534, gid: 65_534 };

/**
 * Which account PostgreSQL runs under. For an ordinary user: the same one (`undefined`, nothing to switch).
 * PostgreSQL refuses to be root, so root runs it as whoever owns its home already, a new one as `nobody`.
 */
export async function chooseServerAccount(homeDirectory: string): Promise<ServerAccount | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  if (process.platform !== 'linux') throw rootUnsupported(process.platform);
  const owner = await lstat(homeDirectory).catch(() => undefined);
  return owner === undefined || owner.uid === 0 ? NOBODY : { uid: owner.uid, gid: owner.gid };
}

/** Gives `path` and all below it to the account, links themselves instead of what they point to. */
export async function changeOwner(account: ServerAccount | undefined, path: string): Promise<void> {
  if (account === undefined) return;
  await lchown(path, account.uid, account.gid);
  if (!(await lstat(path)).isDirectory()) return;
  for (const name of await readdir(path)) await changeOwner(account, join(path, name));
}
