import type { Server, Socket } from 'node:net';
import type { Scope } from '../database/scopes.ts';

/** A connection takes about 10 KiB. */
export const maxConnections = 10_000;

/** The rest stays free for authenticated callers. Public bodies of 4 KiB then need 20 MiB at most. */
const maxOfStrangers = 5_000;

interface Caller {
  keyId: string;
  scope: Scope;
}

/** Divides the connections of a server among strangers, the teams, and the keys of all teams. */
export interface ConnectionShares {
  /**
   * Closes the oldest connection of strangers when a new one exceeds their limit. Closes the oldest connection of the
   * caller with the most when a new one exceeds the limit of all.
   */
  watch(server: Server): void;
  /** Call it with each authenticated request. Until then, a connection is one of strangers. */
  authenticated(socket: Socket, caller: Caller): void;
}

export function createConnectionShares(
  limits: { max: number; maxOfStrangers: number } = { max: maxConnections, maxOfStrangers },
): ConnectionShares {
  const strangers = 'strangers';
  const owners = new Map<Socket, string>();
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
  const closeOldest = ([oldest]: Iterable<Socket>) => {
    if (oldest === undefined) return;
    remove(oldest);
    oldest.destroy();
  };
  const findLargest = (): Set<Socket> =>
    [...shares.values()].reduce((largest, share) => (share.size > largest.size ? share : largest));

  return {
    watch(server) {
      server.on('connection', (socket) => {
        add(socket, strangers);
        socket.once('close', () => remove(socket));
        if (shareOf(strangers).size > limits.maxOfStrangers) closeOldest(shareOf(strangers));
        else if (owners.size > limits.max) closeOldest(findLargest());
      });
    },
    authenticated(socket, { keyId, scope }) {
      const owner = scope.kind === 'team' ? scope.teamId : keyId;
      const known = owners.get(socket);
      if (known === undefined || known === owner) return;
      remove(socket);
      add(socket, owner);
    },
  };
}
