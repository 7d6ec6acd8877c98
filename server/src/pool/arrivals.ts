import type { Database } from '../database/database.ts';
import { createBatch } from '../shared/batch.ts';
import { type Arrival, type Ownership, writeUp, writeUps } from './session-state.queries.ts';

/** What is written when devices come up. */
export interface Arrivals {
  /** False once the device is another's, stopped or gone. */
  write(owner: Ownership, phoneNumber: string): Promise<boolean>;
}

/** Those that come within so many milliseconds, as all that are opened together do, share a statement. */
const waitMs = 2;
const maxItems = 100;

/** After a restart devices come up by the thousand: one statement for each would be most of what that costs the database. */
export function createArrivals(db: Database): Arrivals {
  const writeOne = ({ owner, phoneNumber }: Arrival): Promise<boolean> => writeUp(db, owner, phoneNumber);
  const batch = createBatch<Arrival, () => Promise<boolean>>({
    waitMs,
    maxItems,
    run: async (arrivals) => {
      const written = await writeTogether(db, arrivals);
      return arrivals.map(
        (arrival) => () => (written.has(arrival) ? Promise.resolve(true) : writeOne(arrival)),
      );
    },
  });
  return {
    async write(owner, phoneNumber) {
      const finish = await batch.add({ owner, phoneNumber });
      return finish();
    },
  };
}

/** Those that were written. What one of them fails by is no other's concern: each then tries by itself. */
async function writeTogether(db: Database, arrivals: readonly Arrival[]): Promise<ReadonlySet<Arrival>> {
  if (arrivals.length === 1) return new Set();
  try {
    return await writeUps(db, arrivals);
  } catch {
    return new Set();
  }
}
