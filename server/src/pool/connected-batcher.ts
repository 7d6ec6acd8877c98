import type { Database } from '../database/database.ts';
import {
  type ConnectedDevice,
  type Ownership,
  writeConnected,
  writeConnectedTogether,
} from '../devices/session-state.sql.ts';
import { createIsolatingBatch } from '../shared/isolating-batch.ts';
import type { Logger } from '../shared/logger.ts';

/** What is written when devices come up. */
export interface ConnectedBatcher {
  /** False once the device is another's, stopped or gone. */
  record(owner: Ownership, phoneNumber: string): Promise<boolean>;
}

/** Those that come within so many milliseconds, as all that are opened together do, share a statement. */
const waitMs = 2;
const maxItems = 100;

/** After a restart devices come up by the thousand: one statement for each would be most of what that costs the database. */
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
    runBatch: async (arrivals) => {
      const written = await writeConnectedTogether(db, arrivals);
      return arrivals.map((arrival) => (written.has(arrival) ? true : null));
    },
    runOne: ({ owner, phoneNumber }) => writeConnected(db, owner, phoneNumber),
    logger,
    failure: 'the connections of devices could not be recorded together',
  });
  return { record: (owner, phoneNumber) => write({ owner, phoneNumber }) };
}
