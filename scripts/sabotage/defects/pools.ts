// biome-ignore-all lint/suspicious/noTemplateCurlyInString: source text that contains template literals
import type { Defect } from '../defect.ts';

const leases = {
  file: 'server/test/models/leases.reliability.test.ts',
  name: 'a device has one owner, only the owner writes, and device counts are exact',
};

const takeover = {
  file: leases.file,
  name: "another pool takes over a dead pool's devices with a new epoch and counts them",
};

/** Ownership of devices. */
export const poolDefects: readonly Defect[] = [
  {
    name: 'take-over-before-the-lease-ends',
    file: 'server/src/devices/leases.sql.ts',
    find: "${column('lease_until')} <= now() and (",
    replace: "${column('lease_until')} <= now() + interval '5 seconds' and (",
    test: leases,
    why: 'Two pools would hold a connection of the same device.',
  },
  {
    name: 'move-devices-after-a-restart',
    file: 'server/src/devices/leases.sql.ts',
    find: "make_interval(secs => ${column('lease_seconds')}) <= now()",
    replace: 'make_interval(secs => 0) <= now()',
    test: {
      file: leases.file,
      name: 'a database restart extends an expired lease once, then other pools take over',
    },
    why: 'A restart of the database would move every device to another pool.',
  },
  {
    name: 'renew-an-expired-lease',
    file: 'server/src/pool/lease.queries.ts',
    find: "and not ended and not ${isLeaseExpired('pools')} returning draining`.execute(db)",
    replace: 'and not ended returning draining`.execute(db)',
    test: leases,
    why: 'A pool whose devices were taken over would continue as their owner.',
  },
  {
    name: 'keep-the-epoch',
    file: 'server/src/devices/hosting.sql.ts',
    find: 'epoch = d.epoch + 1, ',
    replace: '',
    test: takeover,
    why: 'A pool that regains a device could not tell its new writes from its old ones.',
  },
  {
    name: 'write-under-an-old-epoch',
    file: 'server/src/devices/session-state.sql.ts',
    find: 'pool_id = ${owner.poolId} and epoch = ${owner.epoch}\n',
    replace: 'pool_id = ${owner.poolId}\n',
    test: {
      file: leases.file,
      name: 'a stopped session cannot overwrite its successor',
    },
    why: 'A stopped session could overwrite the state of its successor.',
  },
  {
    name: 'connect-under-an-old-epoch',
    file: 'server/src/devices/session-state.sql.ts',
    find: 'and d.epoch = up.epoch and',
    replace: 'and',
    test: {
      file: 'server/src/pool/connected-batcher.test.ts',
      name: 'skips devices of a batch that have another owner or are stopped',
    },
    why: 'A pool that lost a device would mark it as connected.',
  },
  {
    name: 'receive-under-an-old-epoch',
    file: 'server/src/devices/session-state.sql.ts',
    find: 'and devices.epoch = owner.epoch and',
    replace: 'and',
    test: {
      file: 'server/src/pool/inbound-recorder.test.ts',
      name: 'rejects a message under an old epoch although the current owner records one in the same batch',
    },
    why: 'A pool that lost the device would acknowledge a message that it did not store.',
  },
  {
    name: 'connect-beside-the-owner',
    file: 'server/src/devices/session-state.sql.ts',
    find: 'arrivals.filter((_, n) => written.has(n + 1))',
    replace: 'arrivals.filter(() => written.size > 0)',
    test: {
      file: 'server/src/pool/connected-batcher.test.ts',
      name: 'rejects a session under an old epoch although the current owner connects in the same batch',
    },
    why: 'A session would continue as connected although another pool owns its device.',
  },
  {
    name: 'give-one-session-the-state-of-all',
    file: 'server/src/pool/session-store.queries.ts',
    find: 'found[n]?.push(entry);',
    replace: 'found[0]?.push(entry);',
    test: {
      file: 'server/src/pool/session-store.test.ts',
      name: 'batches the reads of several sessions',
    },
    why: 'After a restart only the first device of each batch would find its credentials.',
  },
  {
    name: 'take-over-during-a-write',
    file: 'server/src/devices/session-state.sql.ts',
    find: '${isOwned(owner)} for share of devices`',
    replace: '${isOwned(owner)}`',
    test: {
      file: 'server/src/pool/session-store.test.ts',
      name: 'a takeover skips a device until the write of',
    },
    why: 'The session state could change under its new owner.',
  },
  {
    name: 'take-over-during-a-batch-of-writes',
    file: 'server/src/devices/session-state.sql.ts',
    find: 'for share of d skip locked`',
    replace: '`',
    test: {
      file: 'server/src/pool/session-store.test.ts',
      name: 'a takeover skips a device until the write of',
    },
    why: 'The session state could change under its new owner.',
  },
  {
    name: 'write-keys-under-an-old-epoch',
    file: 'server/src/devices/session-state.sql.ts',
    find: 'and d.epoch = owner.epoch\n',
    replace: '\n',
    test: {
      file: 'server/src/pool/session-store.test.ts',
      name: 'batches the writes of several sessions, and only the session that lost its device fails',
    },
    why: 'A pool that lost a device would overwrite the keys of the next owner.',
  },
  {
    name: 'delete-a-pool-that-receives-devices',
    file: 'server/src/pool/lease.queries.ts',
    find: "where ${isLeaseExpired('pools')} order by id for update skip locked`",
    replace: "where ${isLeaseExpired('pools')} order by id`",
    test: {
      file: 'server/src/pool/lease.test.ts',
      name: 'keeps an expired pool that is just getting devices',
    },
    why: 'Devices of a pool whose row is deleted would stay without an owner forever.',
  },
  {
    name: 'take-over-without-counting',
    file: 'server/src/pool/lease.queries.ts',
    find: 'update pools set devices = devices + ${deviceIds.length} where id = ${pool.id}',
    replace: 'update pools set devices = devices + 0 where id = ${pool.id}',
    test: takeover,
    why: 'A pool would take more devices than its capacity.',
  },
  {
    name: 'free-capacity-twice',
    file: 'server/src/devices/devices.queries.ts',
    find: 'await sql`delete from devices using ${timeouts2s} where id = ${device.id}`.execute(tx);',
    replace:
      'await sql`with freed as (update pools set devices = devices - 1 where id = (select pool_id from devices where id = ${device.id})) delete from devices using ${timeouts2s} where id = ${device.id}`.execute(tx);',
    test: leases,
    why: 'Deleting devices would free capacity that a pool does not have.',
  },
  {
    name: 'assign-devices-to-a-draining-pool',
    file: 'server/src/devices/leases.sql.ts',
    find: 'not draining and lease_until > now() and devices < capacity',
    replace: 'lease_until > now() and devices < capacity',
    test: leases,
    why: 'A draining pool would receive new devices.',
  },
  {
    name: 'connected-without-an-owner',
    file: 'server/src/devices/devices.queries.ts',
    find: "d.connected and ${isLeaseValid('p')} as connected,",
    replace: 'd.connected,',
    test: {
      file: leases.file,
      name: "a device's connection status expires with the lease of its pool",
    },
    why: 'A device would be shown as connected after its pool has died.',
  },
  {
    name: 'wait-for-locked-pools',
    file: 'server/src/devices/pools/pools.sql.ts',
    find: 'waitsForLock ? sql`` : sql`for no key update skip locked`',
    replace: 'sql``',
    test: {
      file: 'server/src/devices/devices.routes.test.ts',
      name: 'does not wait for the locked row of another pool',
    },
    why: 'A locked row of one pool would stop the creation of devices on every other pool.',
  },
  {
    name: 'drain-into-locked-pools',
    file: 'server/src/pool/lease.queries.ts',
    find: 'order by room desc, id for update skip locked',
    replace: 'order by room desc, id for update',
    test: {
      file: 'server/src/pool/pool-drain.test.ts',
      name: 'a draining pool does not wait for the locked row of another pool',
    },
    why: 'A locked row of one pool would stop the drain of every other pool.',
  },
  {
    name: 'refuse-sends-during-a-handover',
    file: 'server/src/devices/hosting.sql.ts',
    find: "in ('pool_stopped', 'pool_drained')",
    replace: "in ('pool_stopped')",
    test: {
      file: 'server/src/chat/messages/send.test.ts',
      name: 'accepts a linked device for 2 s after its pool gave it up on purpose, and rejects it later',
    },
    why: 'Sends would fail while a pool drains.',
  },
  {
    name: 'stop-without-moving-devices',
    file: 'server/src/pool/pool-drain.ts',
    find: 'performance.now() < deadline && (await moveNext(true)) > 0',
    replace: 'performance.now() > deadline && (await moveNext(true)) > 0',
    test: {
      file: 'server/src/pool/pool-drain.test.ts',
      name: 'a stopping pool moves its started devices to other pools first, and these take over the stopped ones',
    },
    why: 'All devices of a stopping pool would be disconnected at once, longer than sends are accepted.',
  },
];
