import { measureP99s, type ProbeTarget } from '../../server/test/hostile-uploads/measure-latency.ts';

/** Measures one interval after another until the work is done. The caller handles its failure. */
export async function p99sDuring(
  target: ProbeTarget,
  work: Promise<unknown>,
  intervalSeconds: number,
): Promise<number[]> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  const p99s: number[] = [];
  while (!isOver) p99s.push(...(await measureP99s(target, 1, intervalSeconds)));
  return p99s;
}
