import { sql } from 'kysely';
import type { Transaction } from '../platform/database/database.ts';
import { disconnected, stopped } from './devices.sql.ts';

/** The new epoch fences off the session of an earlier connection. Watched by record_device_event. */
export async function startDevice(
  tx: Transaction,
  id: string,
  pairingPhoneNumber: string | null,
): Promise<void> {
  await sql`
    update devices set status = 'started', connected = false, epoch = epoch + 1, qr_text = null, qr_expires_at = null,
                       pairing_phone_number = ${pairingPhoneNumber}, updated_at = now()
    where id = ${id}`.execute(tx);
}

/** Watched by record_device_event. */
export async function stopDevice(tx: Transaction, id: string): Promise<void> {
  await sql`
    update devices set ${disconnected('stopped')}, ${stopped} where id = ${id} and status = 'started'`.execute(
    tx,
  );
}

/** Watched by record_device_event. */
export async function unlinkDevice(tx: Transaction, id: string): Promise<void> {
  await sql`
    update devices set ${disconnected('logged_out')}, ${stopped}, logged_in = false, phone_number = null, account_id = null,
                       account_key = null
    where id = ${id}`.execute(tx);
}
