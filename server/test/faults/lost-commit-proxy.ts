import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { addressOf, throughServer } from '../database-address.ts';

/** A proxy between an API and the database that can lose the acknowledgement of a commit. */
export interface LostCommitProxy {
  /** Connection string through the proxy. */
  url: string;
  /** Passes this number of commits, then cuts the connection instead of acknowledging the next one. */
  loseCommitAfter(commits: number): void;
  /** Whether an acknowledgement was lost since the last `loseCommitAfter`. */
  hasLostCommit(): boolean;
  close(): void;
}

/** The driver's simple query `commit`. */
const commit = Buffer.from('Q\0\0\0\x0bcommit\0');

export async function startLostCommitProxy(databaseUrl: string): Promise<LostCommitProxy> {
  /** Commits to pass before the lost one, or null. */
  let passing: number | null = null;
  let lost = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(addressOf(databaseUrl));
    let losing = false;
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        database.destroy();
      });
    }
    client.on('data', (chunk) => {
      if (passing !== null && chunk.includes(commit)) {
        losing = passing === 0;
        passing = losing ? null : passing - 1;
      }
      database.write(chunk);
    });
    database.on('data', (chunk) => {
      // The database has committed, but the client receives no response.
      if (!losing) return client.write(chunk);
      lost = true;
      client.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: throughServer(databaseUrl, server),
    loseCommitAfter(commits) {
      passing = commits;
      lost = false;
    },
    hasLostCommit: () => lost,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
