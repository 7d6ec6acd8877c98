import { sql } from 'kysely';
import type { Transaction } from '../database/database.ts';

/** Whatever session an earlier connection left is fenced off by the epoch. */
export async function startDevice(tx: Transaction, id: string): Promise<void> {
  await sql`
    update devices set status = 'started', connected = false, epoch = epoch + 1, qr_text = null, qr_expires_at = null,
                       updated_at = now()
    where id = ${id}`.execute(tx);
}

const stopped = sql`
  status = 'stopped', connected = false, epoch = epoch + 1, qr_text = null, qr_expires_at = null, updated_at = now()`;

/** The reason and time of the disconnection change only where there was something to disconnect. */
const disconnected = (reason: string) => sql`
  last_disconnect_reason = case when status = 'started' then ${reason} else last_disconnect_reason end,
  last_disconnect_at = case when status = 'started' then now() else last_disconnect_at end`;

/** Fences the session off at once; its pool closes it. */
export async function stopDevice(tx: Transaction, id: string): Promise<void> {
  await sql`
    update devices set ${disconnected('stopped')}, ${stopped} where id = ${id} and status = 'started'`.execute(
    tx,
  );
}

/** Stops the device and lets go of its phone, which another device may link from now on. */
export async function unlinkDevice(tx: Transaction, id: string): Promise<void> {
  await sql`
    update devices set ${disconnected('logged_out')}, ${stopped}, logged_in = false, phone_number = null
    where id = ${id}`.execute(tx);
}
