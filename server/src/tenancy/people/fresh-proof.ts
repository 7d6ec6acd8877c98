import { badRequest, forbidden, unauthorized } from '../../platform/http/errors.ts';
import { toNetwork } from '../../platform/http/limits/attempts.ts';
import { type CodeDependencies, takeCode } from './codes.ts';
import type { FreshProof } from './fresh-proof.schemas.ts';
import { isSameHash } from './passwords.ts';
import { lockPerson } from './people.queries.ts';
import { selectSessions } from './sessions.queries.ts';

/**
 * Somebody at an unlocked computer must not give themselves a lasting way in. Throws `fresh_proof_needed` 10 minutes after the sign-in,
 * `password_wrong`, or 401 for a wrong code.
 */
export async function requireFreshProof(
  deps: CodeDependencies,
  { id, personId }: { id: string; personId: string },
  address: string,
  { password, request_id: requestId, code }: FreshProof,
): Promise<void> {
  const { db, limits, passwords } = deps;
  const session = (await selectSessions(db, personId)).find((candidate) => candidate.id === id);
  if (session === undefined) throw unauthorized('invalidToken');
  if (session.is_fresh) return;
  const person = await db.transaction().execute((tx) => lockPerson(tx, personId));
  if (person === undefined) throw unauthorized('invalidToken');
  const { email, password_hash: known } = person;
  if (password !== undefined) {
    limits.count(address, email);
    const hash = await passwords.hash(password, email, toNetwork(address));
    if (!isSameHash(known ?? '', hash)) throw badRequest('password_wrong', 'The present password is wrong');
    return;
  }
  if (requestId !== undefined && code !== undefined) {
    await takeCode(deps, address, { request_id: requestId, email, code }, async () => undefined);
    return;
  }
  throw forbidden(
    'fresh_proof_needed',
    'The sign-in is older than 10 minutes; send the password or a mailed code',
  );
}
