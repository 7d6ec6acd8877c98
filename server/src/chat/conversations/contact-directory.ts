import { lockIfOwned, type Ownership } from '../../devices/session-state.sql.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { nullIfLocked } from '../../platform/database/lock-timeout.ts';
import type { InputIssue } from '../../platform/http/errors.ts';
import type { GroupedRetries } from '../../platform/shared/grouped-retries.ts';
import { type ContactDirectory, NotOwner } from '../../ports/messaging-network/messaging-network.ts';
import { copyConsents } from '../consents/consents.sql.ts';
import { mergeContact } from '../contacts/contacts.sql.ts';
import { moveMessages } from '../messages/messages.sql.ts';
import {
  type ChatOwner,
  moveConversation,
  selectAddress,
  selectAddresses,
  upsertAddresses,
} from './contact-directory.queries.ts';

/** A contact without a known number: the scheme of its network and an id. */
const unnumbered = /^(lid|bsuid|tg|web):[\w.-]{1,140}$/;

const isUnnumbered = (contact: string): boolean => unnumbered.test(contact);

/** A number, or an id of the network for a contact whose number it hides. */
export const contactIssues = (number: string): InputIssue[] =>
  /^[ +]?\d{5,15}$/.test(number) || isUnnumbered(number)
    ? []
    : [
        {
          path: 'number',
          message: 'must be a phone number like +15550123, or an id of the network like lid:1234567890',
        },
      ];

/** The contacts of a device that this pool owns. Writes throw `NotOwner` after it lost the device. */
export const createContacts = (
  { db, retries }: { db: Database; retries: Pick<GroupedRetries, 'run'> },
  owner: Ownership,
): ContactDirectory => ({
  async identify({ number, addresses: given }) {
    // Another form of the number is an address, too.
    const addresses = number === null ? given : [...given, number];
    const known = await selectAddresses(db, owner.deviceId, addresses);
    const [first] = known;
    const isComplete =
      known.length === addresses.length && known.every((each) => each.contact === first?.contact);
    if (first !== undefined && isComplete && (number === null || !isUnnumbered(first.contact)))
      return first.contact;
    const record = () =>
      db.transaction().execute(async (tx) => {
        if (!(await lockIfOwned(tx, owner))) throw new NotOwner(owner.deviceId);
        return recordAddresses(tx, owner, { number, addresses });
      });
    // An answer or a person may hold a conversation that has to move.
    return retries.run(owner.teamId, () => nullIfLocked(record));
  },
  findAddress: async (contact) => (await selectAddress(db, owner.deviceId, contact)) ?? null,
});

/** Some networks write the scheme into the address. */
const toContact = (address: string): string =>
  isUnnumbered(address) ? address : `lid:${address.split('@')[0] ?? ''}`;

/**
 * The contact of the oldest known address decides, unless its number was unknown. Then its conversation continues under the
 * number.
 */
async function recordAddresses(
  tx: Transaction,
  owner: ChatOwner,
  { number, addresses }: { number: string | null; addresses: readonly string[] },
): Promise<string> {
  const rows = await selectAddresses(tx, owner.deviceId, addresses);
  const known = rows.map(({ contact }) => contact);
  const numbered = known.find((contact) => !isUnnumbered(contact)) ?? number;
  const contact = numbered ?? known[0] ?? toContact(addresses[0] ?? '');
  const provisional = known.filter((each) => isUnnumbered(each) && each !== contact);
  // A number with addresses of its own may belong to somebody else by now.
  const isNewAlias = number !== null && number !== contact && !rows.some(({ address }) => address === number);
  for (const merged of new Set([...provisional, ...(isNewAlias ? [number] : [])])) {
    await moveConversation(tx, owner, merged, contact);
    await mergeContact(tx, owner.teamId, merged, contact);
    await copyConsents(tx, owner.teamId, merged, contact);
    await moveMessages(tx, owner.deviceId, merged, contact);
  }
  const kept = rows.filter((row) => row.contact !== contact && !isUnnumbered(row.contact));
  const moved = addresses.filter((address) => !kept.some((row) => row.address === address));
  await upsertAddresses(tx, owner, moved, contact);
  return contact;
}
