import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';

/** What a member program tells its parent once it has tried to join. */
interface Joined {
  readonly url?: string;
  readonly error?: { readonly message: string; readonly reason?: string };
}

/** A program of its own that uses the embedded server of a data directory. */
interface MemberProgram {
  readonly process: ChildProcess;
  readonly joined: Joined;
  /** Lets it release the server and waits until it has ended. */
  release(): Promise<void>;
  /** kill -9 */
  kill(): Promise<void>;
}

/** Starts such a program of the installation at `root` and waits until it has joined, or failed to. */
export async function startMember(
  dataDir: string,
  { root = join(import.meta.dirname, '../..'), ...options }: ForkOptions & { root?: string } = {},
): Promise<MemberProgram> {
  const child = fork(join(root, 'server/test/embedded-member.ts'), [dataDir], options);
  const [joined] = (await once(child, 'message')) as [Joined];
  const ended = once(child, 'exit');
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

/** Runs one statement on a connection of its own and returns the rows. */
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
