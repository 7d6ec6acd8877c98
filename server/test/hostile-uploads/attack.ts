import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface AttackPlan {
  /** Of the api. */
  url: string;
  token: string;
  /** A team with room. */
  teamId: string;
}

export interface AttackReport {
  /** How many by status. */
  answers: Record<string, number>;
  /** What was answered otherwise than with 200, 400 or, where there were too many, 503; in words. */
  odd: string[];
}

/**
 * Attacks with uploads of every kind at once, from a thread of its own, for as long as `meanwhile` takes. What is under
 * way then is hung up on.
 */
export async function runDuringAttack<Result>(
  plan: AttackPlan,
  meanwhile: () => Promise<Result>,
): Promise<{ report: AttackReport; result: Result }> {
  const attacker = new Worker(new URL('./attacker.ts', import.meta.url), { workerData: plan });
  try {
    await once(attacker, 'message');
    const result = await meanwhile();
    attacker.postMessage('stop');
    // The attacker sends one.
    const [report] = (await once(attacker, 'message')) as [AttackReport];
    return { report, result };
  } finally {
    await attacker.terminate();
  }
}
