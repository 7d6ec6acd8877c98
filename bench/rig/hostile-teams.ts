import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ConnectedDevice } from './connected-devices.ts';

export const hostileKinds = [
  'hangingAction',
  'explodingDocuments',
  'inboundFlood',
  'lockedRows',
  'manyRequests',
] as const;

export interface HostileTeam extends ConnectedDevice {
  teamId: string;
  /** Of a key of this team. */
  token: string;
}

export interface HostileTeams extends Record<(typeof hostileKinds)[number], HostileTeam> {
  apiUrl: string;
  networkUrl: string;
  databaseUrl: string;
}

/**
 * Per second. The flood exceeds the budget of a device, and the requests that of a key. Higher rates need more than two
 * processors, so that every figure would measure the machine.
 */
export const hostileRates = { 'hanging action': 16, flood: 60, request: 10_000 / 60 };

/** The number of results by kind. */
export type HostileCounts = Record<string, number>;

export interface HostileReport {
  counts: HostileCounts;
  seconds: number;
}

const requiredActs = ['hanging action written', 'flood written', 'lock held', 'request 200'];

/** Runs `meanwhile` while another thread attacks in the name of the hostile teams. */
export async function runDuringAttack<Result>(
  teams: HostileTeams,
  meanwhile: () => Promise<Result>,
): Promise<{ result: Result; attackRate: number }> {
  const attacker = new Worker(new URL('./hostile-teams-thread.ts', import.meta.url), { workerData: teams });
  try {
    await once(attacker, 'message');
    const result = await meanwhile();
    attacker.postMessage('stop');
    const [report] = (await once(attacker, 'message')) as [HostileReport];
    console.log(`The hostile teams: ${JSON.stringify(report)}`);
    const idle = requiredActs.filter((act) => report.counts[act] === undefined);
    if (idle.length > 0) throw new Error(`the hostile teams did not attack: ${idle.join(', ')}`);
    return { result, attackRate: findLowestRate(report) };
  } finally {
    await attacker.terminate();
  }
}

/** As a part of the planned rate. A busy machine slows the attacker, which makes the figures look better. */
const findLowestRate = ({ counts, seconds }: HostileReport): number =>
  Math.min(
    ...Object.entries(hostileRates).map(([kind, perSecond]) => {
      const acts = Object.entries(counts).filter(([name]) => name.startsWith(`${kind} `));
      return acts.reduce((sum, [, count]) => sum + count, 0) / (perSecond * seconds);
    }),
  );
