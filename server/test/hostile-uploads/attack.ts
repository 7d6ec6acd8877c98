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

/** Sends hostile uploads from another thread while `meanwhile` runs, then cuts their connections. */
export async function runDuringAttack<Result>(
  plan: AttackPlan,
  meanwhile: () => Promise<Result>,
): Promise<{ report: AttackReport; result: Result }> {
  const attacker = new Worker(new URL('./attacker.ts', import.meta.url), { workerData: plan });
  try {
    await once(attacker, 'message');
    const result = await meanwhile();
    attacker.postMessage('stop');
    const [report] = (await once(attacker, 'message')) as [AttackReport];
    return { report, result };
  } finally {
    await attacker.terminate();
  }
}
