import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Scope } from '../database/scopes.ts';

/** A connection takes about 10 KiB. */
export const maxConnections = 10_000;

/** The rest stays free for authenticated callers. Public bodies of 4 KiB then need 20 MiB at most. */
const maxUnauthenticated = 5_000;

interface Caller {
  keyId: string;
  scope: Scope;
}

/** Divides the connections of a server among unauthenticated ones, the teams, and the keys of all teams. */
export interface ConnectionShares {
  /**
   * Makes room for a new connection. Closes the oldest unauthenticated one if these are at their limit, or if all connections
   * are at the limit. So a flood of connections closes its own connections and not those of callers. If no connection is
   * unauthenticated, closes one of the caller that has the most: the oldest idle one, or else the oldest.
   */
  watch(server: Server): void;
  /** Call it with each authenticated request. Until then, a connection is unauthenticated. */
  authenticated(socket: Socket, caller: Caller): void;
  /** Closes the connections that have sent nothing. Node would wait a minute for their requests before it stops. */
  closeUnused(): void;
}

export function createConnectionShares(
  limits: { max: number; maxUnauthenticated: number } = { max: maxConnections, maxUnauthenticated },
): ConnectionShares {
  const unauthenticated = 'unauthenticated';
  const owners = new Map<Socket, string>();
  /** The number of requests in progress. */
  const requests = new Map<Socket, number>();
  const shares = new Map<string, Set<Socket>>();

  const shareOf = (owner: string): Set<Socket> => {
    const share = shares.get(owner) ?? new Set();
    shares.set(owner, share);
    return share;
  };
  const add = (socket: Socket, owner: string) => {
    owners.set(socket, owner);
    shareOf(owner).add(socket);
  };
  const remove = (socket: Socket) => {
    const owner = owners.get(socket);
    if (owner === undefined || !owners.delete(socket)) return;
    const share = shareOf(owner);
    share.delete(socket);
    if (share.size === 0) shares.delete(owner);
  };
  const close = (socket: Socket | undefined) => {
    if (socket === undefined) return;
    remove(socket);
    socket.destroy();
  };
  const findLargest = (): Set<Socket> =>
    [...shares.values()].reduce((largest, share) => (share.size > largest.size ? share : largest));
  const makeRoom = () => {
    const strangers = shareOf(unauthenticated);
    if (strangers.size < limits.maxUnauthenticated && owners.size < limits.max) return;
    const [oldestStranger] = strangers;
    if (oldestStranger !== undefined) return close(oldestStranger);
    const largest = [...findLargest()];
    close(largest.find((socket) => !requests.has(socket)) ?? largest[0]);
  };
  const countRequest = (socket: Socket, change: 1 | -1) => {
    const count = (requests.get(socket) ?? 0) + change;
    if (count > 0) requests.set(socket, count);
    else requests.delete(socket);
  };

  return {
    watch(server) {
      server.on('connection', (socket) => {
        makeRoom();
        add(socket, unauthenticated);
        socket.once('close', () => remove(socket));
      });
      server.on('request', ({ socket }, response) => {
        countRequest(socket, 1);
        response.once('close', () => countRequest(socket, -1));
      });
    },
    authenticated(socket, { keyId, scope }) {
      const owner = scope.kind === 'team' ? scope.teamId : keyId;
      const known = owners.get(socket);
      if (known === undefined || known === owner) return;
      remove(socket);
      add(socket, owner);
    },
    closeUnused() {
      for (const socket of owners.keys()) if (socket.bytesRead === 0) socket.destroy();
    },
  };
}
