import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { measureP99s, type ProbeTarget } from '../../server/test/hostile-uploads/measure-latency.ts';
import { waitUntilConnected, waitUntilSent } from '../rig/connected-devices.ts';
import { insertLinkedDevices, insertOutbound, newLinks } from '../rig/linked-devices.ts';
import { median } from '../rig/median.ts';
import { p99sDuring } from '../rig/p99s-during.ts';
import { residentBytes } from '../rig/resident-memory.ts';
import type { Rig } from '../rig/rig.ts';
import { openRoleProcesses, type RoleProcesses } from '../rig/role-processes.ts';
import type { ServerProcess } from '../rig/server-process.ts';
import type { Figure, FigureRow } from './row.ts';

const collector = fileURLToPath(new URL('../rig/collect-on-signal.ts', import.meta.url));
const intervalSeconds = 2;

/** One pool with the maximum number of devices: the memory per device, and the effect of a restart on the api. */
export const manyDevices: FigureRow = {
  name: 'many-devices',
  work: 'a pool with 10,000 connected devices',
  async measure(rig) {
    const count = rig.effort.warmUpSeconds === 0 ? 500 : 10_000;
    const links = newLinks(count);
    const processes = await openRoleProcesses(rig, 'parley_many', links);
    try {
      return await measure(rig, processes, links);
    } finally {
      await processes.close();
    }
  },
};

async function measure(
  rig: Rig,
  processes: RoleProcesses,
  links: ReturnType<typeof newLinks>,
): Promise<Figure[]> {
  const { databaseUrl } = processes.deployment;
  const count = links.length;
  const startPool = () =>
    processes.start('pool', { POOL_CAPACITY: String(count) }, ['--expose-gc', '--import', collector]);
  const api = await processes.start('api');
  const first = await startPool();
  const empty = await residentAfterCollection(first);
  await insertLinkedDevices(processes.deployment, links);
  await waitUntilConnected(databaseUrl, first.url, count);
  await insertOutbound(databaseUrl);
  await waitUntilSent(databaseUrl, count);
  const full = await residentAfterCollection(first);

  const target = await createProbe(processes, api);
  await measureP99s(target, 1, intervalSeconds);
  const measureAtRest = () => measureP99s(target, rig.effort.pairs, intervalSeconds);
  const before = await measureAtRest();
  const startedAt = performance.now();
  const restored = (async () => {
    await first.stop();
    const second = await startPool();
    await waitUntilConnected(databaseUrl, second.url, count);
    return (performance.now() - startedAt) / 1000;
  })();
  const duringRestart = median(await p99sDuring(target, restored, intervalSeconds));
  // Measured before and after, so that both contain the machine's other load.
  const idle = median([...before, ...(await measureAtRest())]);
  return [
    {
      figure: `memory per device, of ${count} with a conversation and a message sent`,
      value: (full - empty) / 1024 / count,
      unit: ' KB',
      goal: { atMost: 25 },
    },
    { figure: 'memory of the empty pool', value: empty / 2 ** 20, unit: ' MiB' },
    { figure: 'restart until all devices are connected', value: await restored, unit: ' s' },
    { figure: 'p99 of GET /devices/{id}, pool at rest', value: idle, unit: ' ms' },
    { figure: 'p99 of GET /devices/{id}, pool restarting', value: duringRestart, unit: ' ms' },
    { figure: 'ratio of the last two', value: duringRestart / idle, unit: 'x', goal: { atMost: 2 } },
  ];
}

/** Returns the resident bytes after garbage collection, which needs several passes. */
async function residentAfterCollection({ pid, kill }: ServerProcess): Promise<number> {
  for (let n = 0; n < 5; n++) {
    kill('SIGUSR2');
    await delay(1000);
  }
  return residentBytes(pid);
}

async function createProbe(processes: RoleProcesses, api: ServerProcess): Promise<ProbeTarget> {
  const token = await processes.token(api);
  const response = await fetch(`${api.url}/api/openapi/v1/devices?limit=1`, {
    headers: { authorization: `Bearer ${token}` },
  });
  // The device list of the API description.
  const { data } = (await response.json()) as { data: { id: string }[] };
  return { url: api.url, token, path: `/api/openapi/v1/devices/${data[0]?.id}` };
}
