import { readFile } from 'node:fs/promises';

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Ids for child programs of a Parley that root started. No other program has them, and they need no entry in /etc/passwd.
 * systemd leaves 65520 to 65533 unused, and containers with 65,536 ids have them.
 */
const firstIds = { database: 65_520, documentReader: 65_527 } as const;
const idsPerPurpose = 7;

/** Returns the first of the purpose's ids that is no user of this machine. */
export async function findDedicatedAccount(purpose: keyof typeof firstIds): Promise<Account> {
  const users = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const taken = new Set(users.split('\n').map((line) => Number(line.split(':')[2])));
  const ids = Array.from({ length: idsPerPurpose }, (_, n) => firstIds[purpose] + n);
  const id = ids.find((candidate) => !taken.has(candidate));
  if (id === undefined) throw new Error(`users of this machine have all ids from ${ids[0]} to ${ids.at(-1)}`);
  return { uid: id, gid: id };
}
