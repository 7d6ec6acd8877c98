/** How the network names a contact in its events. Each member may be missing. */
export interface CloudIdentity {
  /** Digits. */
  wa_id?: string | undefined;
  from?: string | undefined;
  recipient_id?: string | undefined;
  /** The id of the contact for this business. */
  user_id?: string | undefined;
  from_user_id?: string | undefined;
  recipient_user_id?: string | undefined;
}

const number = /^\+?([1-9][0-9]{5,14})$/;
const userId = /^[A-Za-z]{2}\.[\w.-]{1,131}$/;

/** The number with `+`, or null while the network hides it. */
export function numberOf({ wa_id, from, recipient_id }: CloudIdentity): string | null {
  const digits = [wa_id, from, recipient_id].map((given) => number.exec(given ?? '')?.[1]);
  const found = digits.find((each) => each !== undefined);
  return found === undefined ? null : `+${found}`;
}

/** The address by the contact's id for this business, or null. A number may be missing where a member holds the id instead. */
export function userIdOf(identity: CloudIdentity): string | null {
  const { from_user_id, user_id, recipient_user_id, from, wa_id, recipient_id } = identity;
  const found = [from_user_id, user_id, recipient_user_id, from, wa_id, recipient_id].find((given) =>
    userId.test(given ?? ''),
  );
  return found === undefined ? null : `bsuid:${found}`;
}

export const contactKey = (identity: CloudIdentity): string | null =>
  numberOf(identity) ?? userIdOf(identity);
