import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { median } from '../rig/median.ts';
import { newKey, productionEnvironment } from '../rig/parley-process.ts';
import { startServerProcess } from '../rig/server-process.ts';
import type { FigureRow } from './row.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));

/** One command starts npm, the embedded database, all roles and the simulated network. */
export const startUp: FigureRow = {
  name: 'start-up',
  work: '`npm start` until `/readyz` returns 200',
  async measure(rig) {
    const [empty, used]: [number[], number[]] = [[], []];
    for (let round = 0; round < rig.effort.pairs; round++) {
      const folder = join(rig.directory, `start-up-${round}`);
      await mkdir(folder);
      empty.push(await secondsToStart(folder));
      used.push(await secondsToStart(folder));
    }
    return [
      { figure: 'on an empty DATA_DIR', value: median(empty), unit: ' s', goal: { atMost: 5 } },
      { figure: 'on a used DATA_DIR', value: median(used), unit: ' s', goal: { atMost: 2 } },
    ];
  },
};

async function secondsToStart(folder: string): Promise<number> {
  const started = performance.now();
  const server = await startServerProcess({
    program: ['npm', '--prefix', repository, 'start'],
    log: join(folder, 'start.log'),
    environment: { ...productionEnvironment(newKey()), DATA_DIR: join(folder, 'data') },
  });
  try {
    while (!(await fetch(`${server.url}/readyz`)).ok) await delay(5);
    return (performance.now() - started) / 1000;
  } finally {
    await server.stop();
  }
}
