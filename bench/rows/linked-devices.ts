import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FakeProcess } from '../../packages/whatsapp/test/fake-process.ts';
import { linkUpTo, waitForEntries, writeToAll } from '../../packages/whatsapp/test/many-phones.ts';
import { pairs as answeringPairs, questions } from '../rig/answering-deployment.ts';
import { readCpuTime } from '../rig/cpu-time.ts';
import { contact, type Host, startLibrary, startPool } from '../rig/linked-hosts.ts';
import { median } from '../rig/median.ts';
import { residentBytes } from '../rig/resident-memory.ts';
import type { Figure, FigureRow } from './row.ts';

const collector = fileURLToPath(new URL('../rig/collect-on-signal.ts', import.meta.url));
/** V8 returns freed pages to the system only in this mode. Otherwise, the resident memory would be the largest so far. */
const collect = ['--expose-gc', '--memory-saver-mode', '--import', collector];

/** A pool on a fake WhatsApp, compared with the client library alone. `packages/whatsapp` must be installed. */
export const linkedDevices: FigureRow = {
  name: 'linked-devices',
  work: 'linked devices of one pool on a fake network, compared with the client library alone',
  async measure(rig) {
    const isQuick = rig.effort.warmUpSeconds === 0;
    const counts = isQuick ? [5, 10] : [50, 200];
    const messages = isQuick ? 4 : 10;
    const start = { alone: startLibrary, pool: (execArgs: string[]) => startPool(rig, execArgs) };
    const memoryAlone = await measureMemory(await start.alone(collect), counts);
    const memoryOfPool = await measureMemory(await start.pool(collect), counts);
    const load = { devices: counts.at(-1) ?? 0, messages, pairs: rig.effort.pairs };
    const alone = await measureRates(await start.alone([]), load);
    const pool = await measureRates(await start.pool([]), load);
    const answering = await measureAnswers(
      await startPool(rig, [], { questions: answeringPairs }),
      isQuick ? 2 : 20,
    );
    const secondsAlone = 1 / alone.in.perCpuSecond + 1 / alone.out.perCpuSecond;
    return [
      ...counts.flatMap((count, n): Figure[] => [
        { figure: `memory per device of a pool with ${count}`, value: memoryOfPool[n] ?? 0, unit: ' MiB' },
        {
          figure: `of the library alone, with ${count} devices`,
          value: (memoryOfPool[n] ?? 0) / (memoryAlone[n] ?? 0),
          unit: 'x',
          goal: { atMost: 1.3 },
        },
      ]),
      ...(['in', 'out'] as const).flatMap((direction): Figure[] => [
        {
          figure: `messages ${direction} per second of the pool's CPU, ${load.devices} devices`,
          value: pool[direction].perCpuSecond,
          unit: '',
        },
        {
          figure: 'of the library alone',
          value: pool[direction].perCpuSecond / alone[direction].perCpuSecond,
          unit: 'x',
          goal: { atLeast: 0.7 },
        },
        {
          figure: `messages ${direction} per second, all processes on one machine, of the library alone`,
          value: pool[direction].perSecond / alone[direction].perSecond,
          unit: 'x',
        },
      ]),
      {
        figure: 'CPU of pool and worker for a question and its answer, of the library alone for two messages',
        value: 1 / answering.perCpuSecond / secondsAlone,
        unit: 'x',
        goal: { atMost: 4 },
      },
      { figure: 'the same', value: 1000 / answering.perCpuSecond, unit: ' ms' },
    ];
  },
};

/** Of the contacts of a device. Each asks fewer questions than a contact that Parley takes for a machine. */
const contacts = Array.from({ length: 10 }, (_, n) => `+155502${String(n).padStart(2, '0')}`);

/** Each contact asks every question in words of its own, and waits for the answer. */
async function measureAnswers(host: Host, devices: number): Promise<Rate> {
  try {
    const phones = await linkUpTo(devices, host.link);
    const total = devices * contacts.length;
    const askAll = (text: (n: number) => string) => async () => {
      await Promise.all(contacts.map((from, n) => writeToAll(host.fake, phones, { from, texts: [text(n)] })));
    };
    await measureRate(
      host,
      'sent',
      total,
      askAll(() => 'Hello'),
    );
    const rates: Rate[] = [];
    for (const question of questions)
      rates.push(
        await measureRate(
          host,
          'sent',
          total,
          askAll((n) => `${question} I come with ${n + 1} friends.`),
        ),
      );
    return medianRate(rates);
  } finally {
    await host.close();
  }
}

/** Returns the MiB per device for each of the numbers of devices. */
async function measureMemory(host: Host, counts: readonly number[]): Promise<number[]> {
  try {
    // The first device also loads code and opens connections.
    const phones = await linkUpTo(1, host.link);
    const withOne = await residentAfterCollection(host.pid);
    const memory: number[] = [];
    for (const count of counts) {
      await linkUpTo(count, host.link, { phones });
      memory.push(((await residentAfterCollection(host.pid)) - withOne) / 2 ** 20 / (count - 1));
    }
    return memory;
  } finally {
    await host.close();
  }
}

async function measureRates(
  host: Host,
  { devices, messages, pairs }: { devices: number; messages: number; pairs: number },
): Promise<{ in: Rate; out: Rate }> {
  try {
    const phones = await linkUpTo(devices, host.link);
    const texts = Array.from({ length: messages }, (_, n) => `message ${n}`);
    const receive = () => writeToAll(host.fake, phones, { from: contact, texts });
    for (const phone of phones) await host.fake.write({ from: contact, to: phone, text: 'greeting' });
    await waitForEntries(host.fake, 'delivered', devices);
    const total = devices * messages;
    const [inbound, outbound]: [Rate[], Rate[]] = [[], []];
    for (let run = 0; run < pairs; run += 1) {
      inbound.push(await measureRate(host, 'delivered', total, receive));
      outbound.push(await measureRate(host, 'sent', total, () => host.send(messages)));
    }
    return { in: medianRate(inbound), out: medianRate(outbound) };
  } finally {
    await host.close();
  }
}

interface Rate {
  perSecond: number;
  /** Per second of the processor time of the host. */
  perCpuSecond: number;
}

const medianRate = (rates: readonly Rate[]): Rate => ({
  perSecond: median(rates.map(({ perSecond }) => perSecond)),
  perCpuSecond: median(rates.map(({ perCpuSecond }) => perCpuSecond)),
});

/** Measures until the network has seen the end of all messages. */
async function measureRate(
  { fake, pid }: Host,
  type: Parameters<FakeProcess['count']>[0],
  messages: number,
  act: () => Promise<void>,
): Promise<Rate> {
  const before = await fake.count(type);
  const cpuBefore = (await readCpuTime(pid)) ?? 0;
  const start = performance.now();
  await Promise.all([act(), waitForEntries(fake, type, before + messages)]);
  const seconds = (performance.now() - start) / 1000;
  const cpuSeconds = (((await readCpuTime(pid)) ?? Number.NaN) - cpuBefore) / 1e6;
  return { perSecond: messages / seconds, perCpuSecond: messages / cpuSeconds };
}

/** Returns the resident bytes after garbage collection, which needs several passes. */
async function residentAfterCollection(pid: number): Promise<number> {
  for (let n = 0; n < 5; n += 1) {
    process.kill(pid, 'SIGUSR2');
    await delay(1000);
  }
  return residentBytes(pid);
}
