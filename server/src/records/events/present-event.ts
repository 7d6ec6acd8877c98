import { timestamp } from '../../platform/http/fields.ts';
import type { EventRow } from './events.queries.ts';

export interface PresentedEvent {
  id: string;
  type: string;
  created_at: string;
  team_id: string | null;
  data: object;
}

/** The event as lists, streams and deliveries show it. `data` holds only what the catalogue names. */
export const presentEvent = (row: Omit<EventRow, 'xid' | 'seq'>): PresentedEvent => ({
  id: row.id,
  type: row.type,
  created_at: timestamp(row.created_at),
  team_id: row.team_id,
  data: row.data,
});
