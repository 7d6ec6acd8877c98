import type { Specification } from './specification.ts';

/** The pools and the owner of each device. Times are whole seconds of the database's clock. */
export interface Leases {
  now: number;
  /** When the database started. */
  startedAt: number;
  pools: readonly PoolIncarnation[];
  /** Ordered by id. */
  devices: readonly OwnedDevice[];
  /** Every ownership ever granted, including superseded ones. */
  grants: readonly Grant[];
}

export interface PoolIncarnation {
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
  deviceCount: number;
  /**
   * Another pool took over devices that this pool still counts. The count matters only if a database restart extends
   * the lease of this pool.
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

export interface Grant {
  device: string;
  pool: string;
  epoch: number;
}

/** `pool`, `device` and `grant` are arbitrary numbers until `resolve` replaces them. 0 is the latest. */
export type LeaseOperation =
  | { kind: 'register'; url: string; capacity: number; leaseSeconds: number }
  | { kind: 'renew' | 'take over' | 'drain' | 'move devices' | 'end'; pool: number | string }
  | { kind: 'place' | 'delete pools' | 'restart the database' }
  | { kind: 'start' | 'stop' | 'delete'; device: number | string }
  | { kind: 'store' | 'write connected' | 'write disconnected'; grant: number | Grant; entry: string }
  | { kind: 'wait'; seconds: number };

/**
 * What an operation returns: a renewal or a write whether it succeeded; a takeover or a move the ids of the devices; the deletion
 * of pools the ids of the pools; a placement the device and its pool.
 */
export type LeaseAnswer = string | boolean | readonly string[] | { device: string; pool: string } | null;

const hasLease = ({ until }: PoolIncarnation, { now }: Leases): boolean => until > now;

/** Whether the lease expired and the database has run for at least one lease time. */
const isExpired = ({ until, ended, leaseSeconds }: PoolIncarnation, { now, startedAt }: Leases): boolean =>
  until <= now && (ended || startedAt + leaseSeconds <= now);

const freeCapacity = (pool: PoolIncarnation, state: Leases): number =>
  hasLease(pool, state) ? Math.max(pool.capacity - pool.deviceCount, 0) : 0;

/** The free capacity for new devices. */
const placementCapacity = (pool: PoolIncarnation, state: Leases): number =>
  pool.draining ? 0 : freeCapacity(pool, state);

export const leaseSpecification: Specification<Leases, LeaseOperation, LeaseAnswer> = {
  resolve(operation, { pools, devices, grants }) {
    if ('pool' in operation) {
      const pool = pools.at(-1 - (Number(operation.pool) % pools.length));
      return pool === undefined ? null : { ...operation, pool: pool.id };
    }
    if ('device' in operation) {
      const device = devices[Number(operation.device) % devices.length];
      return device === undefined ? null : { ...operation, device: device.id };
    }
    if (!('grant' in operation)) return operation;
    const grant = grants.at(-1 - (Number(operation.grant) % grants.length));
    return grant === undefined ? null : { ...operation, grant };
  },

  after(state, operation, answer, alone) {
    switch (operation.kind) {
      case 'register':
        return afterRegistration(state, operation, answer as string);
      case 'renew':
        return afterRenewal(state, String(operation.pool), answer as boolean);
      case 'take over':
        return afterTakeover(state, String(operation.pool), answer as readonly string[], alone);
      case 'move devices':
        return afterMove(state, String(operation.pool), answer as readonly string[], alone);
      case 'drain':
        return changePool(state, String(operation.pool), (pool) => ({ ...pool, draining: true }));
      case 'end':
        return afterEnd(state, String(operation.pool));
      case 'delete pools':
        return afterPoolDeletion(state, answer as readonly string[], alone);
      case 'place':
        return afterPlacement(state, answer as { device: string; pool: string } | null, alone);
      case 'start':
      case 'stop':
        return afterStatusChange(state, String(operation.device), operation.kind);
      case 'delete':
        return afterDeletion(state, String(operation.device));
      case 'wait':
        return { ...state, now: state.now + operation.seconds };
      case 'restart the database':
        return { ...state, startedAt: state.now };
      default:
        return afterWrite(state, operation, operation.grant as Grant, answer as boolean);
    }
  },

  visibleState: (state) => ({
    pools: state.pools.map(({ id, until, draining, ended, deviceCount }) => ({
      id,
      until,
      draining,
      ended,
      deviceCount,
    })),
    devices: state.devices.map(({ id, owner, epoch, started, connected, entry }) => ({
      id,
      owner,
      epoch,
      started,
      entry,
      // The connection status that a pool wrote expires with its lease.
      connected: connected && state.pools.some((pool) => pool.id === owner && hasLease(pool, state)),
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
    deviceCount: 0,
    superseded: false,
  };
  return { ...state, pools: [...state.pools, pool].sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

/** An expired lease cannot be renewed. */
function afterRenewal(state: Leases, id: string, renewed: boolean): Leases | null {
  const pool = state.pools.find((known) => known.id === id);
  const isAllowed = pool !== undefined && !pool.ended && !isExpired(pool, state);
  if (renewed !== isAllowed) return null;
  return renewed
    ? changePool(state, id, (renewing) => ({ ...renewing, until: state.now + renewing.leaseSeconds }))
    : state;
}

/**
 * A takeover prefers started devices and stops at the pool's capacity. A draining pool takes over only devices of its
 * own process. A takeover skips rows that a concurrent operation locks.
 */
function afterTakeover(state: Leases, id: string, taken: readonly string[], alone: boolean): Leases | null {
  const pool = state.pools.find((known) => known.id === id);
  const room = pool === undefined ? 0 : freeCapacity(pool, state);
  const expired = state.pools
    .filter((other) => isExpired(other, state) && (pool?.draining === false || other.url === pool?.url))
    .map((other) => other.id);
  const abandoned = state.devices
    .filter(({ owner }) => expired.includes(owner))
    .sort((a, b) => Number(b.started) - Number(a.started) || (a.id < b.id ? -1 : 1))
    .map((device) => device.id);
  if (taken.length > room || !taken.every((device) => abandoned.includes(device))) return null;
  if (alone && taken.join() !== abandoned.slice(0, room).join()) return null;
  const grown = changePool(state, id, (taking) => ({
    ...taking,
    deviceCount: taking.deviceCount + taken.length,
  }));
  return taken.reduce((next, device) => {
    const from = next.devices.find((known) => known.id === device)?.owner ?? '';
    return assign(
      changePool(next, from, (pool) => ({ ...pool, superseded: true })),
      device,
      id,
    );
  }, grown);
}

/**
 * A move fills the pool with the most free capacity first. Devices without a target stay, as do rows that a concurrent
 * operation locks.
 */
function afterMove(state: Leases, from: string, moved: readonly string[], alone: boolean): Leases | null {
  const targets = state.pools
    .filter((pool) => pool.id !== from && placementCapacity(pool, state) > 0)
    .sort((a, b) => placementCapacity(b, state) - placementCapacity(a, state) || (a.id < b.id ? -1 : 1));
  const slots = targets.flatMap((pool) => Array<string>(placementCapacity(pool, state)).fill(pool.id));
  const owned = state.devices.filter(({ owner }) => owner === from).map((device) => device.id);
  const movable = alone ? owned : owned.filter((device) => moved.includes(device));
  if (moved.join() !== movable.slice(0, slots.length).join()) return null;
  let next = state;
  for (const [index, device] of moved.entries()) {
    const target = slots[index] ?? from;
    next = changePool(next, target, (pool) => ({ ...pool, deviceCount: pool.deviceCount + 1 }));
    next = assign(releaseCapacity(next, from), device, target);
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

/** Expired pools without devices are deleted, except for rows that a concurrent operation locks. */
function afterPoolDeletion(state: Leases, deleted: readonly string[], alone: boolean): Leases | null {
  const deletable = state.pools
    .filter((pool) => isExpired(pool, state) && !state.devices.some(({ owner }) => owner === pool.id))
    .map(({ id }) => id);
  if (!deleted.every((id) => deletable.includes(id)) || (alone && deleted.length !== deletable.length))
    return null;
  return { ...state, pools: state.pools.filter(({ id }) => !deleted.includes(id)) };
}

/** A placement chooses the pool with the most free capacity. It fails only if no pool has any. */
function afterPlacement(
  state: Leases,
  placed: { device: string; pool: string } | null,
  alone: boolean,
): Leases | null {
  const largest = Math.max(0, ...state.pools.map((pool) => placementCapacity(pool, state)));
  if (placed === null) return largest === 0 ? state : null;
  const chosen = state.pools.find(({ id }) => id === placed.pool);
  const room = chosen === undefined ? 0 : placementCapacity(chosen, state);
  if (room === 0 || (alone && room !== largest)) return null;
  const device = {
    id: placed.device,
    owner: placed.pool,
    epoch: 1,
    started: false,
    connected: false,
    entry: null,
  };
  const grown = changePool(state, placed.pool, (pool) => ({ ...pool, deviceCount: pool.deviceCount + 1 }));
  return {
    ...grown,
    devices: [...grown.devices, device].sort((a, b) => (a.id < b.id ? -1 : 1)),
    grants: [...grown.grants, { device: device.id, pool: device.owner, epoch: 1 }],
  };
}

function afterStatusChange(state: Leases, id: string, to: 'start' | 'stop'): Leases {
  const device = state.devices.find((known) => known.id === id);
  if (device === undefined || (to === 'stop' && !device.started)) return state;
  return changeOwnership(state, id, { started: to === 'start', connected: false });
}

function afterDeletion(state: Leases, id: string): Leases {
  const owner = state.devices.find((device) => device.id === id)?.owner;
  const devices = state.devices.filter((device) => device.id !== id);
  return owner === undefined ? state : releaseCapacity({ ...state, devices }, owner);
}

/** Only the owner of the latest epoch may write, and only with a valid lease. */
function afterWrite(
  state: Leases,
  { kind, entry }: { kind: 'store' | 'write connected' | 'write disconnected'; entry: string },
  grant: Grant,
  written: boolean,
): Leases | null {
  const device = state.devices.find(({ id }) => id === grant.device);
  const pool = state.pools.find(({ id }) => id === grant.pool);
  const owns = device !== undefined && device.owner === grant.pool && device.epoch === grant.epoch;
  const isAllowed =
    owns && pool !== undefined && hasLease(pool, state) && (kind === 'store' || device.started);
  if (written !== isAllowed) return null;
  if (!written) return state;
  return changeDevice(
    state,
    grant.device,
    kind === 'store' ? { entry } : { connected: kind === 'write connected' },
  );
}

const assign = (state: Leases, device: string, to: string): Leases =>
  changeOwnership(state, device, { owner: to, connected: false });

/** Every change of ownership starts a new epoch, also for the same owner. */
function changeOwnership(state: Leases, id: string, change: Partial<OwnedDevice>): Leases {
  const epoch = (state.devices.find((device) => device.id === id)?.epoch ?? 0) + 1;
  const changed = changeDevice(state, id, { ...change, epoch });
  const owner = changed.devices.find((device) => device.id === id)?.owner ?? '';
  return { ...changed, grants: [...changed.grants, { device: id, pool: owner, epoch }] };
}

const changeDevice = (state: Leases, id: string, change: Partial<OwnedDevice>): Leases => ({
  ...state,
  devices: state.devices.map((device) => (device.id === id ? { ...device, ...change } : device)),
});

const releaseCapacity = (state: Leases, id: string): Leases =>
  changePool(state, id, (pool) => ({ ...pool, deviceCount: Math.max(pool.deviceCount - 1, 0) }));

const changePool = (
  state: Leases,
  id: string,
  update: (pool: PoolIncarnation) => PoolIncarnation,
): Leases => ({
  ...state,
  pools: state.pools.map((pool) => (pool.id === id ? update(pool) : pool)),
});
