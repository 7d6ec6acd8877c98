import type { FaultPointName } from '../../src/shared/fault-points.ts';

/** The server's processes; the names are those of their roles in the database, too. */
export const serverNames = ['api_1', 'api_2', 'pool_1', 'pool_2', 'worker_1', 'worker_2'] as const;
export type ServerName = (typeof serverNames)[number];

export const externalNames = ['simulator', 'provider'] as const;
export type ExternalName = (typeof externalNames)[number];

export type Role = 'api' | 'pool' | 'worker';

export const getRole = (name: ServerName): Role => name.split('_')[0] as Role; // by the names above

/** The processes that are armed with a fault point, and within how many times that one of them comes by. */
export interface FaultPointLocation {
  roles: readonly Role[];
  within: number;
  /** How many turns it has, of those that a role's points take: 1, or more where a process often ends on its way there. */
  turns?: number;
}

/** Of every fault point. */
export const faultPointLocations: Record<FaultPointName, FaultPointLocation> = {
  'once.after_prepare': { roles: ['api'], within: 1 },
  'once.after_begin': { roles: ['api'], within: 3 },
  'once.after_commit': { roles: ['api'], within: 4 },
  // Of an api, send.after_accept and publish.after_commit leave the same undone.
  'hints.before_notify': { roles: ['pool', 'worker'], within: 6 },
  'send.after_accept': { roles: ['api'], within: 3 },
  'upload.after_stage': { roles: ['api'], within: 1 },
  'upload.after_provider': { roles: ['api'], within: 1 },
  'upload.after_whereabouts': { roles: ['api'], within: 1 },
  'upload.after_move': { roles: ['api'], within: 1 },
  'bot.after_knowledge': { roles: ['api'], within: 2 },
  'bot.after_assistant': { roles: ['api'], within: 2 },
  'publish.after_provider': { roles: ['api'], within: 1 },
  'publish.after_commit': { roles: ['api'], within: 1 },
  'lease.after_begin': { roles: ['pool'], within: 1 },
  'lease.after_takeover': { roles: ['pool'], within: 1, turns: 2 },
  'session.after_store': { roles: ['pool'], within: 1, turns: 3 },
  'session.after_write': { roles: ['pool'], within: 4, turns: 2 },
  'inbound.after_commit': { roles: ['pool'], within: 3, turns: 2 },
  'receipt.after_commit': { roles: ['pool'], within: 2, turns: 3 },
  'outbox.after_claim': { roles: ['pool'], within: 3, turns: 3 },
  'outbox.after_wire': { roles: ['pool'], within: 3, turns: 3 },
  'outbox.after_settle': { roles: ['pool'], within: 3, turns: 2 },
  'unlink.after_logout': { roles: ['pool'], within: 1, turns: 2 },
  'handover.after_close': { roles: ['pool'], within: 1 },
  'drain.after_close': { roles: ['pool'], within: 1 },
  'drain.after_give': { roles: ['pool'], within: 1 },
  'answer.after_claim': { roles: ['worker'], within: 4 },
  'answer.after_step': { roles: ['worker'], within: 6 },
  'answer.after_action': { roles: ['worker'], within: 3 },
  'answer.after_commit': { roles: ['worker'], within: 6 },
  'tombstone.after_delete': { roles: ['worker'], within: 2 },
};
