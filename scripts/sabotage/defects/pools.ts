// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of code that are templates themselves
import type { Defect } from '../defect.ts';

const leases = {
  file: 'server/test/models/leases.test.ts',
  name: 'a device has one owner, who alone writes, and no place is lost',
};

const takeover = {
  file: leases.file,
  name: 'what a dead pool leaves is another one’s, under another epoch, on a place that counts',
};

/** Who owns a device, and who may write about it. */
export const poolDefects: readonly Defect[] = [
  {
    name: 'take-over-before-the-lease-ends',
    file: 'server/src/database/pool-leases.ts',
    find: "${column('lease_until')} <= now() and (",
    replace: "${column('lease_until')} <= now() + interval '5 seconds' and (",
    test: leases,
    why: 'Two pools would have a connection of one device.',
  },
  {
    name: 'reshuffle-after-a-restart',
    file: 'server/src/database/pool-leases.ts',
    find: "make_interval(secs => ${column('lease_seconds')}) <= now()",
    replace: 'make_interval(secs => 0) <= now()',
    test: {
      file: leases.file,
      name: 'after a restart of the database a pool has one more lease to come back, then it is succeeded',
    },
    why: 'A restart of the database would make every device change its pool.',
  },
  {
    name: 'renew-a-lease-that-is-over',
    file: 'server/src/pool/lease.queries.ts',
    find: "and not ended and not ${leaseIsOver('pools')} returning id`.execute(db)",
    replace: 'and not ended returning id`.execute(db)',
    test: leases,
    why: 'A pool that was succeeded would go on as if it owned its devices.',
  },
  {
    name: 'keep-the-epoch',
    file: 'server/src/pool/lease.queries.ts',
    find: 'epoch = d.epoch + 1, ',
    replace: '',
    test: takeover,
    why: 'A pool that gets a device back could not tell its writes from those of before.',
  },
  {
    name: 'write-under-an-old-epoch',
    file: 'server/src/pool/session-state.queries.ts',
    find: 'pool_id = ${owner.poolId} and epoch = ${owner.epoch}\n',
    replace: 'pool_id = ${owner.poolId}\n',
    test: {
      file: leases.file,
      name: 'a session that was stopped writes nothing over the one that follows it',
    },
    why: 'A session that was stopped could write over the one that follows it.',
  },
  {
    name: 'come-up-under-an-old-epoch',
    file: 'server/src/pool/session-state.queries.ts',
    find: 'and d.epoch = up.epoch and',
    replace: 'and',
    test: {
      file: 'server/src/pool/arrivals.test.ts',
      name: 'of devices that come up together those of others are left as they are',
    },
    why: 'A device would seem connected by who has lost it.',
  },
  {
    name: 'receive-under-an-old-epoch',
    file: 'server/src/pool/session-state.queries.ts',
    find: 'and devices.epoch = owner.epoch and',
    replace: 'and',
    test: {
      file: 'server/src/pool/receiving.test.ts',
      name: 'a message under an old epoch is refused, though the device’s present owner brings one at the same time',
    },
    why: 'The network would be told that a message is kept by who has lost the device.',
  },
  {
    name: 'come-up-beside-the-owner',
    file: 'server/src/pool/session-state.queries.ts',
    find: 'arrivals.filter((_, n) => written.has(n + 1))',
    replace: 'arrivals.filter(() => written.size > 0)',
    test: {
      file: 'server/src/pool/arrivals.test.ts',
      name: 'a session under an old epoch is told that it is not up, though its device’s present owner comes up with it',
    },
    why: 'A session whose device is another’s would go on as if it were up.',
  },
  {
    name: 'give-one-session-the-state-of-all',
    file: 'server/src/pool/session-store.queries.ts',
    find: 'found[n]?.push(entry);',
    replace: 'found[0]?.push(entry);',
    test: {
      file: 'server/src/pool/session-store.test.ts',
      name: 'what several sessions read together comes to each as its own',
    },
    why: 'After a restart no device but the first of each group would find its credentials.',
  },
  {
    name: 'overtake-a-writer',
    file: 'server/src/pool/session-store.queries.ts',
    find: '${isOwnedBy(owner)} for share`',
    replace: '${isOwnedBy(owner)}`',
    test: {
      file: 'server/src/pool/session-store.test.ts',
      name: 'a takeover waits for what the owner is just writing',
    },
    why: 'The state of a session could change under its new owner.',
  },
  {
    name: 'forget-a-pool-that-gets-devices',
    file: 'server/src/pool/lease.queries.ts',
    find: "where ${leaseIsOver('pools')} order by id for update skip locked`",
    replace: "where ${leaseIsOver('pools')} order by id`",
    test: {
      file: 'server/src/pool/lease.test.ts',
      name: 'a past pool that is just getting devices, paused in the middle of it, is not forgotten',
    },
    why: 'Devices of a pool without a row would be nobody’s for ever.',
  },
  {
    name: 'take-over-without-counting',
    file: 'server/src/pool/lease.queries.ts',
    find: 'update pools set devices = devices + ${deviceIds.length} where id = ${pool.id}',
    replace: 'update pools set devices = devices + 0 where id = ${pool.id}',
    test: takeover,
    why: 'A pool would take more devices than it can hold.',
  },
  {
    name: 'free-a-place-twice',
    file: 'server/src/devices/devices.queries.ts',
    find: 'await sql`delete from devices using ${brief} where id = ${device.id}`.execute(tx);',
    replace:
      'await sql`with freed as (update pools set devices = devices - 1 where id = (select pool_id from devices where id = ${device.id})) delete from devices using ${brief} where id = ${device.id}`.execute(tx);',
    test: leases,
    why: 'Deleting devices would make room in a pool that it does not have.',
  },
  {
    name: 'place-on-a-draining-pool',
    file: 'server/src/devices/devices.queries.ts',
    find: 'lease_until > now() and not draining and devices < capacity',
    replace: 'lease_until > now() and devices < capacity',
    test: leases,
    why: 'A pool that is being emptied would be filled again.',
  },
  {
    name: 'connected-without-an-owner',
    file: 'server/src/devices/devices.queries.ts',
    find: "d.connected and ${leaseHolds('p')} as connected,",
    replace: 'd.connected,',
    test: {
      file: leases.file,
      name: 'what a pool has said of a device counts no longer than its lease',
    },
    why: 'A device would seem connected after its pool has died.',
  },
];
