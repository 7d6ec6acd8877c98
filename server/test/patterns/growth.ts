/** Long enough that quadratic work takes milliseconds, and linear work microseconds. */
const length = 4_000;
const suspectMs = 1;
/** Quadratic work for a text of four times the length grows by a factor of 16, linear work by 4. */
const lengthFactor = 4;
const maxGrowth = 8;

/** Returns whether the CPU time of `work` grows faster than the length of its input. */
export function growsTooFast(work: (text: string) => unknown, makeText: (length: number) => string): boolean {
  const short = makeText(length);
  if (measureMs(work, short) < suspectMs) return false;
  const long = makeText(lengthFactor * length);
  const [shortMs, longMs] = [minimumMs(work, short), minimumMs(work, long)];
  // Some systems count CPU time in steps, so a short measurement can be zero.
  return longMs > maxGrowth * Math.max(shortMs, suspectMs);
}

/** Other processes only ever add to a measurement. */
const minimumMs = (work: (text: string) => unknown, text: string): number =>
  Math.min(...Array.from({ length: 5 }, () => measureMs(work, text)));

function measureMs(work: (text: string) => unknown, text: string): number {
  const before = process.threadCpuUsage();
  work(text);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
