import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface AttackPlan {
  /** Address of the API. */
  url: string;
  token: string;
  /** A team with large quotas. */
  teamId: string;
}

export interface AttackReport {
  /** Number of responses by status. */
  statusCounts: Record<string, number>;
  /** Responses other than 200, 400 and a 503 that sheds load. */
  unexpected: string[];
}

/** On a busy machine, most uploads are shed before the server looks at them. */
const untilRefusedMs = 180_000;

/**
 * Sends hostile uploads from another thread while `meanwhile` runs and until the server has refused one with 400. Then
 * cuts their connections. Throws if the server refuses none.
 */
export async function runDuringAttack<Result>(
  plan: AttackPlan,
  meanwhile: () => Promise<Result>,
): Promise<{ report: AttackReport; result: Result }> {
  const attacker = new Worker(new URL('./attacker.ts', import.meta.url), { workerData: plan });
  try {
    await once(attacker, 'message');
    const refused = once(attacker, 'message', { signal: AbortSignal.timeout(untilRefusedMs) });
    const [result] = await Promise.all([meanwhile(), refused]);
    attacker.postMessage('stop');
    const [report] = (await once(attacker, 'message')) as [AttackReport];
    return { report, result };
  } finally {
    await attacker.terminate();
  }
}
