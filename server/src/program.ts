import { setTimeout as delay } from 'node:timers/promises';
import { readConfig } from './config.ts';
import { createLogger, type Logger } from './shared/logger.ts';
import { waitForStopSignal } from './shared/signals.ts';
import { startRoles } from './start.ts';
import { describeStartError } from './start-errors.ts';

/** A start that was told to stop may come to its end, if it has one. */
const startPatienceMs = 5000;

/** The whole life of a Parley process: read the configuration, start the roles, wait for the signal, stop in reverse. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLogger(config.LOG_LEVEL);
  const stop = waitForStopSignal();
  void stop.then(() => endAfter(config.STOP_SECONDS, logger));
  const started = new AsyncDisposableStack();
  try {
    const starting = startRoles({ config, logger, started }).catch(async (error: unknown) => {
      // A Ctrl-C in the terminal reaches the programs that prepare the database as well: that is no failure.
      if ((await Promise.race([stop, null])) === null) throw error;
      return null;
    });
    const addresses = await Promise.race([starting, stop.then(() => delay(startPatienceMs, null))]);
    if (addresses !== null) logger.info(addresses, 'ready');
    logger.info({ signal: await stop }, 'stopping: what runs is finished; a second signal ends at once');
  } finally {
    await started.disposeAsync();
  }
  logger.info('stopped');
}

/** A database that does not answer, or has gone, is no reason to go on for ever. */
function endAfter(seconds: number, logger: Logger): void {
  setTimeout(() => {
    logger.error({ seconds }, 'not all has stopped in time; ending at once');
    process.exit(1);
  }, seconds * 1000).unref();
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${describeStartError(error)}\n`);
    process.exit(1);
  },
);
