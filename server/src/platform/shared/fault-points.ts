import { writeSync } from 'node:fs';

/** Points between two durable effects where tests kill or stop the process (docs/fault-points.md). */
export const faultPoints = [
  'idempotency.after_prepare',
  'idempotency.after_begin',
  'idempotency.after_commit',
  'notifications.before_notify',
  'send.after_accept',
  'upload.after_stage',
  'upload.after_provider',
  'upload.after_refs',
  'upload.after_move',
  'bot.after_knowledge',
  'bot.after_assistant',
  'publish.after_provider',
  'publish.after_commit',
  'lease.after_begin',
  'lease.after_takeover',
  'session.after_store',
  'session.after_write',
  'media.after_put',
  'inbox.after_store',
  'inbox.after_receive',
  'inbound.after_commit',
  'receipt.after_commit',
  'outbox.after_claim',
  'outbox.after_wire',
  'outbox.after_settle',
  'unlink.after_logout',
  'handover.after_close',
  'drain.after_close',
  'drain.after_give',
  'answer.after_claim',
  'answer.after_step',
  'answer.after_action',
  'answer.after_commit',
  'webhook.after_post',
  'tombstone.after_delete',
] as const;
export type FaultPointName = (typeof faultPoints)[number];

export interface ArmedFaultPoint {
  point: FaultPointName;
  hit: number;
  signal: 'SIGKILL' | 'SIGTERM';
}

/** Parses `name`, `name@N` (the N-th hit) and both with `:SIGTERM`, separated by commas. */
export const parseArmedFaultPoints = (given: string): readonly ArmedFaultPoint[] =>
  given.split(',').map(parseArmedFaultPoint);

function parseArmedFaultPoint(given: string): ArmedFaultPoint {
  const [, name, times = '1', signal = 'SIGKILL'] =
    /^([^@:]+)(?:@([1-9]\d{0,5}))?(?::(SIGTERM))?$/.exec(given) ?? [];
  const point = faultPoints.find((known) => known === name);
  if (point === undefined) {
    throw new Error(
      'must be names of docs/fault-points.md, or name@N for the N-th time, separated by commas',
    );
  }
  return { point, hit: Number(times), signal: signal === 'SIGTERM' ? signal : 'SIGKILL' };
}

export const killMessage = 'killed at the fault point ';

let armed = new Map<FaultPointName, Omit<ArmedFaultPoint, 'point'>>();

/** Arms the points of this process. Only the start of a process calls it. */
export function armFaultPoints(points: readonly ArmedFaultPoint[] | null): void {
  armed = new Map(points?.map(({ point, ...rest }) => [point, { ...rest }]));
}

/**
 * Kills this process if the point is armed, as `kill -9` does, or sends it SIGTERM and goes on. The points are state of the process, like
 * its signals, so that the code between two effects names the point and nothing else.
 */
export function faultPoint(point: FaultPointName): void {
  const next = armed.get(point);
  if (next === undefined) return;
  next.hit -= 1;
  if (next.hit > 0) return;
  armed.delete(point);
  if (next.signal === 'SIGTERM') {
    process.kill(process.pid, 'SIGTERM');
    return;
  }
  writeSync(process.stderr.fd, `${killMessage}${point}\n`);
  process.kill(process.pid, 'SIGKILL');
  // Nothing more may happen until the signal arrives.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
