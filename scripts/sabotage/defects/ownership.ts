// biome-ignore-all lint/suspicious/noTemplateCurlyInString: source text that contains template literals
import type { Defect } from '../defect.ts';

const leases = {
  file: 'server/test/models/leases.reliability.test.ts',
  name: 'a device has one owner, only the owner writes, and device counts are exact',
};

/** Leases of pools and the fences of their devices. */
export const ownershipDefects: readonly Defect[] = [
  {
    name: 'take-over-before-the-lease-ends',
    file: 'server/src/devices/leases.sql.ts',
    find: "${column('lease_until')} <= now() and (",
    replace: "${column('lease_until')} <= now() + interval '5 seconds' and (",
    test: leases,
    why: 'Two pools would hold a connection of the same device.',
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
];
