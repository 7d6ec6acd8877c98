import type { Server, Socket } from 'node:net';

/** Half of all connections. The other half stays free for authenticated callers. Public bodies of 4 KiB then need 20 MiB at most. */
const maxUnauthenticated = 5_000;

/** The connections that have not sent a request with a valid token or API key. */
export interface UnauthenticatedConnections {
  /** Closes the oldest unauthenticated connection when a new one exceeds the limit. */
  watch(server: Server): void;
  /** Call it for the connection of each authenticated request: it no longer counts. */
  authenticated(socket: Socket): void;
}

export function createUnauthenticatedConnections(max = maxUnauthenticated): UnauthenticatedConnections {
  const sockets = new Set<Socket>();
  return {
    watch(server) {
      server.on('connection', (socket) => {
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
        const [oldest] = sockets;
        if (sockets.size > max && oldest !== undefined) {
          sockets.delete(oldest);
          oldest.destroy();
        }
      });
    },
    authenticated: (socket) => void sockets.delete(socket),
  };
}
