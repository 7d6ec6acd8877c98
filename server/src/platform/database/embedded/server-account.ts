import { lchown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Account, findDedicatedAccount } from '../../shared/dedicated-accounts.ts';
import { isMissing } from '../../shared/durable-files.ts';
import { rootUnsupported } from './embedded-server.errors.ts';
import { readRunningPid } from './postmaster-lock.ts';

export type ServerAccount = Account;

/** Version 0.1.0 ran the server as this user. initdb still does, because it needs a user with a name. */
export const nobodyAccount: ServerAccount = { uid: 65_534, gid: 65_534 };

/**
 * PostgreSQL refuses to run as root, so root uses the owner of `homeDirectory`, or else a dedicated account. Undefined
 * keeps the current user. A running server of version 0.1.0 keeps its account until it stops.
 */
export async function chooseServerAccount(
  homeDirectory: string,
  clusterDirectory = join(homeDirectory, 'cluster'),
): Promise<ServerAccount | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  if (process.platform !== 'linux') throw rootUnsupported(process.platform);
  const owner = await lstat(homeDirectory).catch(() => undefined);
  if (owner === undefined || owner.uid === 0) return findDedicatedAccount('database');
  const mayChange = owner.uid === nobodyAccount.uid && (await readRunningPid(clusterDirectory)) === undefined;
  return mayChange ? findDedicatedAccount('database') : { uid: owner.uid, gid: owner.gid };
}

/** Changes the owner of `path` and its content. Does not follow links. Another program may remove files meanwhile. */
export async function changeOwner(account: ServerAccount | undefined, path: string): Promise<void> {
  if (account === undefined) return;
  try {
    await lchown(path, account.uid, account.gid);
    if (!(await lstat(path)).isDirectory()) return;
    for (const name of await readdir(path)) await changeOwner(account, join(path, name));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
