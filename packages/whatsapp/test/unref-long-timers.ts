/** The client library leaves timers of half a minute and more behind, for which a process of tests would wait. */
const setTimer = globalThis.setTimeout;

function setTimerToLetGo(...args: Parameters<typeof setTimer>): NodeJS.Timeout {
  const timer = setTimer(...args);
  if ((args[1] ?? 0) >= 20_000) timer.unref();
  return timer;
}

globalThis.setTimeout = Object.assign(setTimerToLetGo, { __promisify__: setTimer.__promisify__ });
