import { setTimeout as delay } from 'node:timers/promises';
import { openAnswering, questions } from '../rig/answering-deployment.ts';
import { waitUntilConnected } from '../rig/connected-devices.ts';
import { median } from '../rig/median.ts';
import type { FigureRow } from './row.ts';

const leaseSeconds = 6;
const renewalMs = (leaseSeconds * 1000) / 12;
const devices = 20;

/** Measures from the kill to the answer to a message written right after it. Another pool has taken over by then. */
export const poolKilled: FigureRow = {
  name: 'pool-killed',
  work: 'kill -9 of a pool to the first answer from another, default lease',
  async measure(rig) {
    const times = rig.effort.warmUpSeconds === 0 ? 2 : 20;
    const answering = await openAnswering(rig, 'parley_killed', { teams: devices });
    try {
      const { processes, chats, databaseUrl } = answering;
      let [owner] = answering.pools;
      const seconds: number[] = [];
      for (let n = 0; n < times; n++) {
        const successor = await processes.start('pool');
        // A random moment between two renewals.
        await delay(Math.random() * renewalMs);
        const phone = answering.devices[n % devices]?.phone ?? '';
        owner?.kill('SIGKILL');
        const ms = await chats.ask({ contact: '+16660000000', phone }, questions[n % questions.length] ?? '');
        seconds.push(ms / 1000);
        await waitUntilConnected(databaseUrl, successor.url, devices);
        owner = successor;
      }
      return [
        {
          figure: `p99 of ${times}, ${devices} devices on the pool`,
          value: Math.max(...seconds),
          unit: ' s',
          goal: { atMost: leaseSeconds + 2 },
        },
        { figure: 'p50', value: median(seconds), unit: ' s' },
      ];
    } finally {
      await answering.close();
    }
  },
};
