import type { Specification } from './specification.ts';

/** Incarnations of pools, and the owner of each device. Times are whole seconds of the database's clock. */
export interface Leases {
  now: number;
  /** When the database started. */
  startedAt: number;
  pools: readonly Incarnation[];
  /** Ordered by id. */
  devices: readonly OwnedDevice[];
  /** Every ownership ever granted, as its owner remembers it. */
  rights: readonly Right[];
}

export interface Incarnation {
  id: string;
  /** The same for all incarnations of a process. */
  url: string;
  capacity: number;
  leaseSeconds: number;
  until: number;
  /** Accepts no more devices. */
  draining: boolean;
  /** Has released its devices. */
  ended: boolean;
  /** Devices counted. */
  places: number;
  /**
   * Other pools took devices over. This pool still counts them, which matters only if a database restart extends its
   * lease.
   */
  superseded: boolean;
}

export interface OwnedDevice {
  id: string;
  owner: string;
  epoch: number;
  started: boolean;
  connected: boolean;
  /** The session's state as last written. */
  entry: string | null;
}

export interface Right {
  device: string;
  pool: string;
  epoch: number;
}

/** `pool`, `device` and `right` are arbitrary numbers until `resolve` resolves them; 0 is the latest. */
export type LeaseOperation =
  | { kind: 'register'; url: string; capacity: number; leaseSeconds: number }
  | { kind: 'renew' | 'take over' | 'drain' | 'give away' | 'end'; pool: number | string }
  | { kind: 'place' | 'forget' | 'restart the database' }
  | { kind: 'start' | 'stop' | 'delete'; device: number | string }
  | { kind: 'store' | 'come up' | 'go down'; right: number | Right; entry: string }
  | { kind: 'wait'; seconds: number };

/** Renewals and writes return whether they succeeded, takeovers and handovers the devices, deletions the pools. */
export type LeaseAnswer = string | boolean | readonly string[] | { device: string; pool: string } | null;

const holds = ({ until }: Incarnation, { now }: Leases): boolean => until > now;

/** The lease has expired, and at least one lease time has passed since the database started. */
const isOver = ({ until, ended, leaseSeconds }: Incarnation, { now, startedAt }: Leases): boolean =>
  until <= now && (ended || startedAt + leaseSeconds <= now);

const freePlaces = (pool: Incarnation, state: Leases): number =>
  holds(pool, state) ? Math.max(pool.capacity - pool.places, 0) : 0;

/** For new devices. */
const roomOf = (pool: Incarnation, state: Leases): number => (pool.draining ? 0 : freePlaces(pool, state));

export const leaseSpecification: Specification<Leases, LeaseOperation, LeaseAnswer> = {
  resolve(operation, { pools, devices, rights }) {
    if ('pool' in operation) {
      const pool = pools.at(-1 - (Number(operation.pool) % pools.length));
      return pool === undefined ? null : { ...operation, pool: pool.id };
    }
    if ('device' in operation) {
      const device = devices[Number(operation.device) % devices.length];
      return device === undefined ? null : { ...operation, device: device.id };
    }
    if (!('right' in operation)) return operation;
    const right = rights.at(-1 - (Number(operation.right) % rights.length));
    return right === undefined ? null : { ...operation, right };
  },

  after(state, operation, answer, alone) {
    switch (operation.kind) {
      case 'register':
        return afterRegistration(state, operation, answer as string);
      case 'renew':
        return afterRenewal(state, String(operation.pool), answer as boolean);
      case 'take over':
        return afterTakeover(state, String(operation.pool), answer as readonly string[], alone);
      case 'give away':
        return afterGivingAway(state, String(operation.pool), answer as readonly string[], alone);
      case 'drain':
        return changePool(state, String(operation.pool), (pool) => ({ ...pool, draining: true }));
      case 'end':
        return afterEnd(state, String(operation.pool));
      case 'forget':
        return afterForgetting(state, answer as readonly string[], alone);
      case 'place':
        return afterPlacement(state, answer as { device: string; pool: string } | null, alone);
      case 'start':
      case 'stop':
        return afterSwitch(state, String(operation.device), operation.kind);
      case 'delete':
        return afterDeletion(state, String(operation.device));
      case 'wait':
        return { ...state, now: state.now + operation.seconds };
      case 'restart the database':
        return { ...state, startedAt: state.now };
      default:
        return afterWrite(state, operation, operation.right as Right, answer as boolean);
    }
  },

  shown: (state) => ({
    pools: state.pools.map(({ id, until, draining, ended, places }) => ({
      id,
      until,
      draining,
      ended,
      places,
    })),
    devices: state.devices.map(({ id, owner, epoch, started, connected, entry }) => ({
      id,
      owner,
      epoch,
      started,
      entry,
      // A pool's statements about a device expire with its lease.
      connected: connected && state.pools.some((pool) => pool.id === owner && holds(pool, state)),
    })),
  }),
};

function afterRegistration(
  state: Leases,
  { url, capacity, leaseSeconds }: { url: string; capacity: number; leaseSeconds: number },
  id: string,
): Leases {
  const until = state.now + leaseSeconds;
  const pool = {
    id,
    url,
    capacity,
    leaseSeconds,
    until,
    draining: false,
    ended: false,
    places: 0,
    superseded: false,
  };
  return { ...state, pools: [...state.pools, pool].sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

/** An expired lease cannot be renewed. */
function afterRenewal(state: Leases, id: string, renewed: boolean): Leases | null {
  const pool = state.pools.find((known) => known.id === id);
  const may = pool !== undefined && !pool.ended && !isOver(pool, state);
  if (renewed !== may) return null;
  return renewed
    ? changePool(state, id, (renewing) => ({ ...renewing, until: state.now + renewing.leaseSeconds }))
    : state;
}

/**
 * Takes started devices first, up to its capacity. A draining pool takes back only its own. Skips rows that a
 * concurrent operation locks.
 */
function afterTakeover(state: Leases, id: string, taken: readonly string[], alone: boolean): Leases | null {
  const pool = state.pools.find((known) => known.id === id);
  const room = pool === undefined ? 0 : freePlaces(pool, state);
  const over = state.pools
    .filter((other) => isOver(other, state) && (pool?.draining === false || other.url === pool?.url))
    .map((other) => other.id);
  const abandoned = state.devices
    .filter(({ owner }) => over.includes(owner))
    .sort((a, b) => Number(b.started) - Number(a.started) || (a.id < b.id ? -1 : 1))
    .map((device) => device.id);
  if (taken.length > room || !taken.every((device) => abandoned.includes(device))) return null;
  if (alone && taken.join() !== abandoned.slice(0, room).join()) return null;
  const grown = changePool(state, id, (taking) => ({ ...taking, places: taking.places + taken.length }));
  return taken.reduce((moved, device) => {
    const from = moved.devices.find((known) => known.id === device)?.owner ?? '';
    return hand(
      changePool(moved, from, (pool) => ({ ...pool, superseded: true })),
      device,
      id,
    );
  }, grown);
}

/**
 * Fills the pool with most free places first. Devices without a place stay, as do rows that a concurrent operation
 * locks.
 */
function afterGivingAway(
  state: Leases,
  from: string,
  given: readonly string[],
  alone: boolean,
): Leases | null {
  const takers = state.pools
    .filter((pool) => pool.id !== from && roomOf(pool, state) > 0)
    .sort((a, b) => roomOf(b, state) - roomOf(a, state) || (a.id < b.id ? -1 : 1));
  const homes = takers.flatMap((pool) => Array<string>(roomOf(pool, state)).fill(pool.id));
  const mine = state.devices.filter(({ owner }) => owner === from).map((device) => device.id);
  const movable = alone ? mine : mine.filter((device) => given.includes(device));
  if (given.join() !== movable.slice(0, homes.length).join()) return null;
  let next = state;
  for (const [index, device] of given.entries()) {
    const home = homes[index] ?? from;
    next = changePool(next, home, (pool) => ({ ...pool, places: pool.places + 1 }));
    next = hand(freePlace(next, from), device, home);
  }
  return next;
}

function afterEnd(state: Leases, id: string): Leases {
  const ended = changePool(state, id, (pool) => ({ ...pool, draining: true, ended: true, until: state.now }));
  return {
    ...ended,
    devices: ended.devices.map((device) => (device.owner === id ? { ...device, connected: false } : device)),
  };
}

/** Deletes expired pools without devices. Rows that a concurrent operation locks stay. */
function afterForgetting(state: Leases, forgotten: readonly string[], alone: boolean): Leases | null {
  const past = state.pools
    .filter((pool) => isOver(pool, state) && !state.devices.some(({ owner }) => owner === pool.id))
    .map(({ id }) => id);
  if (!forgotten.every((id) => past.includes(id)) || (alone && forgotten.length !== past.length)) return null;
  return { ...state, pools: state.pools.filter(({ id }) => !forgotten.includes(id)) };
}

/** Places the device on the pool with most free places. Refuses only if no pool has one. */
function afterPlacement(
  state: Leases,
  placed: { device: string; pool: string } | null,
  alone: boolean,
): Leases | null {
  const most = Math.max(0, ...state.pools.map((pool) => roomOf(pool, state)));
  if (placed === null) return most === 0 ? state : null;
  const chosen = state.pools.find(({ id }) => id === placed.pool);
  const room = chosen === undefined ? 0 : roomOf(chosen, state);
  if (room === 0 || (alone && room !== most)) return null;
  const device = {
    id: placed.device,
    owner: placed.pool,
    epoch: 1,
    started: false,
    connected: false,
    entry: null,
  };
  const grown = changePool(state, placed.pool, (pool) => ({ ...pool, places: pool.places + 1 }));
  return {
    ...grown,
    devices: [...grown.devices, device].sort((a, b) => (a.id < b.id ? -1 : 1)),
    rights: [...grown.rights, { device: device.id, pool: device.owner, epoch: 1 }],
  };
}

function afterSwitch(state: Leases, id: string, to: 'start' | 'stop'): Leases {
  const device = state.devices.find((known) => known.id === id);
  if (device === undefined || (to === 'stop' && !device.started)) return state;
  return changeOwnership(state, id, { started: to === 'start', connected: false });
}

function afterDeletion(state: Leases, id: string): Leases {
  const owner = state.devices.find((device) => device.id === id)?.owner;
  const devices = state.devices.filter((device) => device.id !== id);
  return owner === undefined ? state : freePlace({ ...state, devices }, owner);
}

/** Only the owner of the latest epoch may write, with a valid lease. */
function afterWrite(
  state: Leases,
  { kind, entry }: { kind: 'store' | 'come up' | 'go down'; entry: string },
  right: Right,
  done: boolean,
): Leases | null {
  const device = state.devices.find(({ id }) => id === right.device);
  const pool = state.pools.find(({ id }) => id === right.pool);
  const owns = device !== undefined && device.owner === right.pool && device.epoch === right.epoch;
  const may = owns && pool !== undefined && holds(pool, state) && (kind === 'store' || device.started);
  if (done !== may) return null;
  if (!done) return state;
  return changeDevice(state, right.device, kind === 'store' ? { entry } : { connected: kind === 'come up' });
}

const hand = (state: Leases, device: string, to: string): Leases =>
  changeOwnership(state, device, { owner: to, connected: false });

/** A new epoch for another owner, or the same epoch again. */
function changeOwnership(state: Leases, id: string, change: Partial<OwnedDevice>): Leases {
  const epoch = (state.devices.find((device) => device.id === id)?.epoch ?? 0) + 1;
  const changed = changeDevice(state, id, { ...change, epoch });
  const owner = changed.devices.find((device) => device.id === id)?.owner ?? '';
  return { ...changed, rights: [...changed.rights, { device: id, pool: owner, epoch }] };
}

const changeDevice = (state: Leases, id: string, change: Partial<OwnedDevice>): Leases => ({
  ...state,
  devices: state.devices.map((device) => (device.id === id ? { ...device, ...change } : device)),
});

const freePlace = (state: Leases, id: string): Leases =>
  changePool(state, id, (pool) => ({ ...pool, places: Math.max(pool.places - 1, 0) }));

const changePool = (state: Leases, id: string, become: (pool: Incarnation) => Incarnation): Leases => ({
  ...state,
  pools: state.pools.map((pool) => (pool.id === id ? become(pool) : pool)),
});
