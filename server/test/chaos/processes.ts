import type { FaultPointName } from '../../src/platform/shared/fault-points.ts';

/** The server's processes. Each connects to the database with a role of the same name. */
export const serverNames = ['api_1', 'api_2', 'pool_1', 'pool_2', 'worker_1', 'worker_2'] as const;
export type ServerName = (typeof serverNames)[number];

export const externalNames = ['simulator', 'provider'] as const;
export type ExternalName = (typeof externalNames)[number];

export type Role = 'api' | 'pool' | 'worker';

export const getRole = (name: ServerName): Role => name.split('_')[0] as Role;

/** Where a fault point is armed. */
export interface FaultPointLocation {
  roles: readonly Role[];
  /** The maximum N for `name@N`: the process ends at its N-th pass. */
  within: number;
  /** How often it is planned (default 1). Higher if processes often end before they reach it. */
  weight?: number;
}

export const faultPointLocations: Record<FaultPointName, FaultPointLocation> = {
  'idempotency.after_prepare': { roles: ['api'], within: 1 },
  'idempotency.after_begin': { roles: ['api'], within: 1 },
  'idempotency.after_commit': { roles: ['api'], within: 4 },
  // In an API, send.after_accept and publish.after_commit have the same effect.
  'notifications.before_notify': { roles: ['pool', 'worker'], within: 6 },
  'send.after_accept': { roles: ['api'], within: 3 },
  'upload.after_stage': { roles: ['api'], within: 1 },
  'upload.after_provider': { roles: ['api'], within: 1 },
  'upload.after_refs': { roles: ['api'], within: 1 },
  'upload.after_move': { roles: ['api'], within: 1 },
  'bot.after_knowledge': { roles: ['api'], within: 2 },
  'bot.after_assistant': { roles: ['api'], within: 2 },
  'publish.after_provider': { roles: ['api'], within: 1 },
  'publish.after_commit': { roles: ['api'], within: 1 },
  'lease.after_begin': { roles: ['pool'], within: 1, weight: 2 },
  'lease.after_takeover': { roles: ['pool'], within: 1, weight: 2 },
  'session.after_store': { roles: ['pool'], within: 1, weight: 3 },
  'session.after_write': { roles: ['pool'], within: 4, weight: 2 },
  'media.after_put': { roles: ['api', 'pool'], within: 1 },
  // Nobody writes through a website there. server/test/faults does.
  'inbox.after_store': { roles: ['api'], within: 1, weight: 0 },
  'inbox.after_receive': { roles: ['pool'], within: 1, weight: 0 },
  'inbound.after_commit': { roles: ['pool'], within: 3, weight: 2 },
  'receipt.after_commit': { roles: ['pool'], within: 2, weight: 3 },
  'outbox.after_claim': { roles: ['pool'], within: 3, weight: 3 },
  'outbox.after_wire': { roles: ['pool'], within: 3, weight: 3 },
  'outbox.after_settle': { roles: ['pool'], within: 3, weight: 2 },
  'unlink.after_logout': { roles: ['pool'], within: 1, weight: 2 },
  'handover.after_close': { roles: ['pool'], within: 1 },
  'drain.after_close': { roles: ['pool'], within: 1 },
  'drain.after_give': { roles: ['pool'], within: 1 },
  'answer.after_claim': { roles: ['worker'], within: 4 },
  'answer.after_step': { roles: ['worker'], within: 6 },
  'answer.after_action': { roles: ['worker'], within: 3 },
  'answer.after_commit': { roles: ['worker'], within: 6 },
  'webhook.after_post': { roles: ['worker'], within: 12 },
  'tombstone.after_delete': { roles: ['worker'], within: 2 },
};
