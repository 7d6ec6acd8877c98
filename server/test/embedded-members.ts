import assert from 'node:assert/strict';
import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';

/** The first message of a member program. */
interface Joined {
  readonly url?: string;
  readonly error?: { readonly message: string; readonly reason?: string };
}

/** A separate program that uses an embedded server. */
interface MemberProgram {
  readonly process: ChildProcess;
  readonly joined: Joined;
  /** Releases the server and waits for the exit. */
  release(): Promise<void>;
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<void>;
}

/** Starts such a program of the installation at `root` and waits until it has joined, or failed to. */
export async function startMember(
  dataDir: string,
  { root = join(import.meta.dirname, '../..'), ...options }: ForkOptions & { root?: string } = {},
): Promise<MemberProgram> {
  // The options of this program name files that the installation at `root` may lack.
  const child = fork(join(root, 'server/test/embedded-member.ts'), [dataDir], { execArgv: [], ...options });
  const ended = once(child, 'exit');
  const failed = ended.then(([code]) => assert.fail(`the member ended with ${code} before it reported`));
  const [joined] = (await Promise.race([once(child, 'message'), failed])) as [Joined];
  failed.catch(() => {});
  return {
    process: child,
    joined,
    async release() {
      child.send('release');
      await ended;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Runs one statement on a new connection and returns the rows. */
export async function queryOnce(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
