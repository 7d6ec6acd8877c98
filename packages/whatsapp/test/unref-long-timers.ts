/** Unrefs long timers of the client library, which would keep the test process alive. */
const setTimer = globalThis.setTimeout;

function setUnrefTimer(...args: Parameters<typeof setTimer>): NodeJS.Timeout {
  const timer = setTimer(...args);
  if ((args[1] ?? 0) >= 20_000) timer.unref();
  return timer;
}

globalThis.setTimeout = Object.assign(setUnrefTimer, { __promisify__: setTimer.__promisify__ });
