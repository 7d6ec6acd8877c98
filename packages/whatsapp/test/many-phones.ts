import { setTimeout as delay } from 'node:timers/promises';
import type { FakeProcess } from './fake-process.ts';

/** Links phones until there are `count`. Returns them, also those of earlier calls in `phones`. */
export async function linkUpTo(
  count: number,
  link: (phone: string) => Promise<unknown>,
  { phones = [], atOnce = 1 }: { phones?: string[]; atOnce?: number } = {},
): Promise<string[]> {
  while (phones.length < count) {
    const linking = Array.from(
      { length: Math.min(atOnce, count - phones.length) },
      (_, n) => `+1777${String(phones.length + n).padStart(7, '0')}`,
    );
    await Promise.all(linking.map(link));
    phones.push(...linking);
  }
  return phones;
}

/** Writes these texts to each phone, to all of them at the same time. */
export async function writeToAll(
  fake: Pick<FakeProcess, 'write'>,
  phones: readonly string[],
  { from, texts }: { from: string; texts: readonly string[] },
): Promise<void> {
  await Promise.all(
    phones.map(async (to) => {
      for (const text of texts) await fake.write({ from, to, text });
    }),
  );
}

/** Waits until the network has at least `count` journal entries of this type. */
export async function waitForEntries(
  fake: Pick<FakeProcess, 'count'>,
  type: Parameters<FakeProcess['count']>[0],
  count: number,
): Promise<void> {
  const deadline = performance.now() + 120_000;
  while ((await fake.count(type)) < count) {
    if (performance.now() > deadline) throw new Error(`the fake network has too few entries of type ${type}`);
    await delay(50);
  }
}
