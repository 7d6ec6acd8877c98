import { setTimeout } from 'node:timers/promises';
import { readConfig } from './config.ts';
import { createLogger } from './shared/logger.ts';
import { whenToldToStop } from './shared/signals.ts';
import { startRoles } from './start.ts';
import { explainStart } from './start-errors.ts';

/** A start that was told to stop may come to its end, if it has one. */
const startPatienceMs = 5000;

/** The whole life of a Parley process: read the configuration, start the roles, wait for the signal, stop in reverse. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLogger(config.LOG_LEVEL);
  const stop = whenToldToStop();
  const started = new AsyncDisposableStack();
  try {
    const starting = startRoles({ config, logger, started }).catch(async (error: unknown) => {
      // A Ctrl-C in the terminal reaches the programs that prepare the database as well: that is no failure.
      if ((await Promise.race([stop, null])) === null) throw error;
      return null;
    });
    const addresses = await Promise.race([starting, stop.then(() => setTimeout(startPatienceMs, null))]);
    if (addresses !== null) logger.info(addresses, 'ready');
    logger.info({ signal: await stop }, 'stopping: what runs is finished; a second signal ends at once');
  } finally {
    await started.disposeAsync();
  }
  logger.info('stopped');
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${explainStart(error)}\n`);
    process.exit(1);
  },
);
