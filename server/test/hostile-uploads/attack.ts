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

export interface Attack {
  /** What is under way is hung up on. */
  stop(): Promise<AttackReport>;
}

/** Attacks with uploads of every kind at once, from a thread of its own. Resolves when it has begun. */
export async function startAttack(plan: AttackPlan): Promise<Attack> {
  const attacker = new Worker(new URL('./attacker.ts', import.meta.url), { workerData: plan });
  await once(attacker, 'message');
  return {
    async stop() {
      attacker.postMessage('stop');
      // The attacker sends one.
      const [report] = (await once(attacker, 'message')) as [AttackReport];
      await attacker.terminate();
      return report;
    },
  };
}
