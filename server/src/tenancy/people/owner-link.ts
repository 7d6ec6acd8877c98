import type { Database } from '../../platform/database/database.ts';
import { createLink } from './links.queries.ts';
import { normalizeEmail, selectOwner } from './people.queries.ts';

/** Returns the token of a link that signs an owner of the deployment in, or null without such an owner. */
export async function createOwnerLink(db: Database, email: string | null): Promise<string | null> {
  return db.transaction().execute(async (tx) => {
    const userId = await selectOwner(tx, email === null ? null : normalizeEmail(email));
    if (userId === null) return null;
    return (await createLink(tx, { kind: 'sign_in', userId, hours: 1 })).token;
  });
}
