import { isLidUser, type SignalKeyStore, type WASocket } from 'baileys';

/** The library sends a contact a new token in each week of the Unix epoch. */
const weekSeconds = 7 * 24 * 60 * 60;

/**
 * Notes that the contact has this week's privacy token, which the library sends after a message. Its own note is lost, because it
 * writes it to the key transaction of the message, which has ended. Without a note, it would send a token after every message.
 */
export async function notePrivacyToken(
  address: string,
  keys: SignalKeyStore,
  { signalRepository }: Pick<WASocket, 'signalRepository'>,
): Promise<void> {
  const lid = isLidUser(address) === true ? address : await signalRepository.lidMapping.getLIDForPN(address);
  const id = lid ?? address;
  const { [id]: known } = await keys.get('tctoken', [id]);
  const now = Math.floor(Date.now() / 1000);
  const notedAt = known?.senderTimestamp ?? 0;
  if (Math.floor(notedAt / weekSeconds) >= Math.floor(now / weekSeconds)) return;
  await keys.set({ tctoken: { [id]: { token: Buffer.alloc(0), ...known, senderTimestamp: now } } });
}
