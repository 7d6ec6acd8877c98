import { sql } from 'kysely';

/** What an update of `devices` sets to stop them: whatever session they have is fenced off at once; its pool closes it. */
export const stopped = sql`
  status = 'stopped', connected = false, epoch = epoch + 1, qr_text = null, qr_expires_at = null, updated_at = now()`;

/** The reason and time of the disconnection change only where there was something to disconnect. */
export const disconnected = (reason: string) => sql`
  last_disconnect_reason = case when status = 'started' then ${reason} else last_disconnect_reason end,
  last_disconnect_at = case when status = 'started' then now() else last_disconnect_at end`;
