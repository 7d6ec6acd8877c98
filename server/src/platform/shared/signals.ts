/** npm and the terminal deliver the same Ctrl-C twice. */
const sameSignalMs = 1000;

/** Resolves with the first SIGTERM, SIGINT or SIGHUP (a closed terminal). A later one ends the process at once. */
export function waitForStopSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let firstAt: number | undefined;
  const receive = (signal: NodeJS.Signals, number: number) => {
    const now = performance.now();
    firstAt ??= now;
    if (now - firstAt > sameSignalMs) process.exit(128 + number);
    resolve(signal);
  };
  process.on('SIGTERM', receive);
  process.on('SIGINT', receive);
  process.on('SIGHUP', receive);
  return promise;
}
