import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { addressOf, throughServer } from './database-address.ts';

/** A TCP proxy in front of the database that can drop all traffic. */
export interface BlackholeProxy {
  /** Connection string through the proxy. */
  url: string;
  /** Drops all traffic from now on without closing connections, like a network outage. */
  dropTraffic(): void;
  /** Accepts connections, but forwards nothing of them until `restore`. */
  dropNewTraffic(): void;
  restore(): void;
  close(): void;
}

export async function startBlackholeProxy(databaseUrl: string): Promise<BlackholeProxy> {
  const sockets = new Set<Socket>();
  let isOpen = true;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (!isOpen) {
      sockets.add(client.on('error', () => undefined));
      return;
    }
    const database = connect(addressOf(databaseUrl));
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.pipe(other);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: throughServer(databaseUrl, server),
    dropTraffic() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    dropNewTraffic() {
      isOpen = false;
    },
    restore() {
      isOpen = true;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
