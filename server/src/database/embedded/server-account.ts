import { lchown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { rootUnsupported } from './embedded-server.errors.ts';

export interface ServerAccount {
  readonly uid: number;
  readonly gid: number;
}

const NOBODY: ServerAccount = { uid: 65_534, gid: 65_534 };

/** PostgreSQL refuses to run as root, so root uses the owner of `homeDirectory`. Undefined keeps the current user. */
export async function chooseServerAccount(homeDirectory: string): Promise<ServerAccount | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  if (process.platform !== 'linux') throw rootUnsupported(process.platform);
  const owner = await lstat(homeDirectory).catch(() => undefined);
  return owner === undefined || owner.uid === 0 ? NOBODY : { uid: owner.uid, gid: owner.gid };
}

/** Changes the owner of `path` and its content. Does not follow links. */
export async function changeOwner(account: ServerAccount | undefined, path: string): Promise<void> {
  if (account === undefined) return;
  await lchown(path, account.uid, account.gid);
  if (!(await lstat(path)).isDirectory()) return;
  for (const name of await readdir(path)) await changeOwner(account, join(path, name));
}
