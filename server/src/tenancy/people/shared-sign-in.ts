import type { Transaction } from '../../platform/database/database.ts';
import { newId } from '../../platform/shared/ids.ts';
import { auditAs, insertPerson } from './people.queries.ts';
import { endInvitations, lockUsersOfAddress, markProved, moveUsers } from './proofs.queries.ts';

/**
 * Makes one person of all users with an address that was just proved, so that they share a sign-in. Returns the person's id, or null
 * if none of them is active or invited.
 *
 * The sender of an invitation has its link, too, and could have set the password. So users join a person only if all of its means are from
 * a proof, otherwise a new one, as with `afresh`. A person with a second factor stays apart, because a proof of the address does not replace it.
 */
export async function joinUsersOf(
  tx: Transaction,
  email: string,
  { afresh = false }: { afresh?: boolean } = {},
): Promise<string | null> {
  const users = await lockUsersOfAddress(tx, email);
  const [first] = users;
  if (first === undefined) return null;
  await auditAs(tx, first.user_id);
  const proved = users.find((user) => user.is_proved)?.person_id ?? null;
  const movable = users.filter(
    (user) => user.person_id === null || (user.person_id !== proved && !user.has_second_factor),
  );
  const [next] = movable;
  if (next === undefined) return proved ?? first.person_id;
  const isOnePerson = next.person_id !== null && movable.every((user) => user.person_id === next.person_id);
  if (proved === null && isOnePerson && !afresh) {
    if (!next.has_own_means) await markProved(tx, next.person_id ?? '');
    return next.person_id;
  }
  const id = proved ?? newId();
  const userIds = movable.map((user) => user.user_id);
  await endInvitations(tx, userIds);
  if (proved === null) {
    await insertPerson(tx, { id, email, passwordHash: null }, next.user_id);
    await markProved(tx, id);
  }
  await moveUsers(tx, id, userIds);
  return id;
}
