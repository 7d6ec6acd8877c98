import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '../rig/median.ts';
import { newKey, productionEnvironment } from '../rig/parley-process.ts';
import { startServerProcess } from '../rig/server-process.ts';
import type { FigureRow } from './row.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));

/** All of it with one command: npm, the embedded database, every role, the simulated network. */
export const startUp: FigureRow = {
  name: 'start-up',
  work: '`npm start` until `/readyz` says so',
  async measure(rig) {
    const [empty, used]: [number[], number[]] = [[], []];
    for (let round = 0; round < rig.effort.pairs; round++) {
      const place = join(rig.directory, `start-up-${round}`);
      await mkdir(place);
      empty.push(await secondsToStart(place));
      used.push(await secondsToStart(place));
    }
    return [
      { figure: 'on an empty DATA_DIR', value: median(empty), unit: ' s', goal: { atMost: 5 } },
      { figure: 'on a used DATA_DIR', value: median(used), unit: ' s', goal: { atMost: 2 } },
    ];
  },
};

async function secondsToStart(place: string): Promise<number> {
  const begun = performance.now();
  const server = await startServerProcess({
    program: ['npm', '--prefix', repository, 'start'],
    log: join(place, 'start.log'),
    environment: { ...productionEnvironment(newKey()), DATA_DIR: join(place, 'data') },
  });
  try {
    const ready = await fetch(`${server.url}/readyz`);
    if (!ready.ok) throw new Error(`ready, but /readyz answers ${ready.status}`);
    return (performance.now() - begun) / 1000;
  } finally {
    await server.stop();
  }
}
