import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { addressOf, throughServer } from '../database-address.ts';

/** Stands between an api and the database, and can keep to itself that a commit got through. */
export interface LostCommitProxy {
  /** The database's connection string by way of the thief. */
  url: string;
  /** Lets so many commits pass; of the next one the database's answer is lost with the connection. */
  loseCommitAfter(passing: number): void;
  /** Whether a commit was stolen since it was last told to. */
  hasLostCommit(): boolean;
  close(): void;
}

/** The simple query `commit`, as the driver sends it. */
const commit = Buffer.from('Q\0\0\0\x0bcommit\0');

export async function startLostCommitProxy(databaseUrl: string): Promise<LostCommitProxy> {
  /** Commits left to pass; null while nothing is to be stolen. */
  let passing: number | null = null;
  let stolen = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(addressOf(databaseUrl));
    let stealing = false;
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
        stealing = passing === 0;
        passing = stealing ? null : passing - 1;
      }
      database.write(chunk);
    });
    database.on('data', (chunk) => {
      // The answer says that the commit is done; nobody hears of it.
      if (!stealing) return client.write(chunk);
      stolen = true;
      client.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: throughServer(databaseUrl, server),
    loseCommitAfter(commits) {
      passing = commits;
      stolen = false;
    },
    hasLostCommit: () => stolen,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
