import { sql } from 'kysely';
import { oldestUnanswered } from '../../chat/conversations/conversations.sql.ts';
import { oldestUnsent } from '../../chat/messages/messages.sql.ts';
import { disconnectedDeviceCount } from '../../devices/hosting.sql.ts';
import { movingTeams } from '../../knowledge/bots/bots.sql.ts';
import { passagesToEmbed } from '../../knowledge/search/vectors.sql.ts';
import type { Database } from '../../platform/database/database.ts';
import { registeredKeyCount } from '../../platform/keyring/keyring.sql.ts';
import { failingWebhookCount } from '../../records/webhooks/webhooks.sql.ts';

/** Seconds since the oldest waiting message, null if none waits. */
export interface Backlog {
  unanswered: number | null;
  unsent: number | null;
  keys: number;
  /** Passages without a vector of the configured model. */
  unembedded: number;
  /** Teams whose documents move to another place. */
  moving: number;
  /** Webhooks whose deliveries have failed for five minutes, or that were disabled for that in the last day. */
  failingWebhooks: number;
  /** Started, linked devices that have been disconnected for a minute. */
  disconnectedDevices: number;
}

export const emptyBacklog: Backlog = {
  unanswered: null,
  unsent: null,
  keys: 0,
  unembedded: 0,
  moving: 0,
  failingWebhooks: 0,
  disconnectedDevices: 0,
};

export async function selectBacklog(db: Database, embeddingModel: string | null): Promise<Backlog> {
  const { rows } = await sql<Backlog>`
    select (${oldestUnanswered}) as unanswered, (${oldestUnsent}) as unsent, (${registeredKeyCount}) as keys,
      (${passagesToEmbed(embeddingModel)}) as unembedded, (${movingTeams}) as moving,
      (${failingWebhookCount}) as "failingWebhooks", (${disconnectedDeviceCount}) as "disconnectedDevices"`.execute(
    db,
  );
  return rows[0] ?? emptyBacklog;
}
