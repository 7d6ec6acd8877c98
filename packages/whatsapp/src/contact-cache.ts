import type { ContactDirectory } from '@parley/server/messaging-network';

const maxEntries = 10_000;
const unknownNumber = /^lid:(\d+)$/;

/** Remembers answers of the directory for the time of a session. */
export class ContactCache implements ContactDirectory {
  readonly #directory: ContactDirectory;
  readonly #contacts = new Map<string, string>();
  readonly #addresses = new Map<string, string>();

  constructor(directory: ContactDirectory) {
    this.#directory = directory;
  }

  async identify(contact: { number: string | null; addresses: readonly string[] }): Promise<string> {
    const key = [contact.number, ...contact.addresses].join(' ');
    const known = this.#contacts.get(key);
    if (known !== undefined) return known;
    const identified = await this.#directory.identify(contact);
    remember(this.#contacts, key, identified);
    const [address] = contact.addresses;
    if (address !== undefined) remember(this.#addresses, identified, address);
    return identified;
  }

  async findAddress(contact: string): Promise<string | null> {
    const known = this.#addresses.get(contact);
    if (known !== undefined) return known;
    const lid = unknownNumber.exec(contact)?.[1];
    const found = (await this.#directory.findAddress(contact)) ?? (lid === undefined ? null : `${lid}@lid`);
    if (found !== null) remember(this.#addresses, contact, found);
    return found;
  }
}

function remember(entries: Map<string, string>, key: string, value: string): void {
  if (entries.size >= maxEntries) entries.clear();
  entries.set(key, value);
}
