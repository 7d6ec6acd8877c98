import {
  type ConnectedDevice,
  type Ownership,
  writeConnected,
  writeConnectedBatch,
} from '../devices/session-state.sql.ts';
import type { Database } from '../platform/database/database.ts';
import { nullIfLocked } from '../platform/database/lock-timeout.ts';
import { createIsolatingBatch } from '../platform/shared/isolating-batch.ts';
import type { Logger } from '../platform/shared/logger.ts';

export interface ConnectedBatcher {
  /** Marks a device as connected. Returns false when the device has another owner, is stopped or was deleted. */
  record(owner: Ownership, phoneNumber: string | null): Promise<boolean>;
}

const waitMs = 2;
const maxItems = 100;

/** Batches these writes, because thousands of devices connect after a restart. */
export function createConnectedBatcher({
  db,
  logger,
}: {
  db: Database;
  logger: Pick<Logger, 'warn'>;
}): ConnectedBatcher {
  const write = createIsolatingBatch<ConnectedDevice, boolean>({
    waitMs,
    maxItems,
    runBatch: async (devices) => {
      const written = await writeConnectedBatch(db, devices);
      return devices.map((device) => (written.has(device) ? true : null));
    },
    groupOf: ({ owner }) => owner.teamId,
    runOne: ({ owner, phoneNumber }) => nullIfLocked(() => writeConnected(db, owner, phoneNumber)),
    logger,
    failure: 'a batch of connected devices could not be recorded',
  });
  return { record: (owner, phoneNumber) => write({ owner, phoneNumber }) };
}
