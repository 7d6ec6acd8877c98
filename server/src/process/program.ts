import { setTimeout as delay } from 'node:timers/promises';
import { createLogger, type Logger } from '../platform/shared/logger.ts';
import { waitForStopSignal } from '../platform/shared/signals.ts';
import { readConfig } from './config.ts';
import { findMisspelled } from './config-report.ts';
import { eraseSecrets } from './secret-environment.ts';
import { startRoles } from './start.ts';
import { describeStartError } from './start-errors.ts';

/** How long an interrupted start may continue before it is abandoned. */
const startGraceMs = 5000;

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLogger(config.LOG_LEVEL);
  for (const { given, meant } of findMisspelled(process.env)) {
    logger.warn(
      { variable: given, meant },
      'an unknown environment variable resembles one of Parley; ignored',
    );
  }
  eraseSecrets(process.env);
  const stop = waitForStopSignal();
  const stopping = new AbortController();
  void stop.then(() => {
    stopping.abort();
    endAfter(config.STOP_SECONDS, logger);
  });
  const started = new AsyncDisposableStack();
  try {
    const starting = startRoles({ config, logger, started, stopping: stopping.signal }).catch(
      async (error: unknown) => {
        // Ctrl-C in the terminal also kills the child programs that prepare the database. That is not a failed start.
        if ((await Promise.race([stop, null])) === null) throw error;
        return null;
      },
    );
    const giveUp = async () => {
      await stop;
      await delay(startGraceMs);
      logger.warn({ ms: startGraceMs }, 'the start goes on after the signal; ending without it');
      return null;
    };
    const addresses = await Promise.race([starting, giveUp()]);
    if (addresses !== null) logger.info(addresses, 'ready');
    logger.info(
      { signal: await stop },
      'stopping after running work has finished; a second signal ends the process at once',
    );
  } finally {
    await started.disposeAsync();
  }
  logger.info('stopped');
}

/** An unreachable database must not keep a stopping process alive. */
function endAfter(seconds: number, logger: Logger): void {
  setTimeout(() => {
    logger.error({ seconds }, 'the process did not stop within STOP_SECONDS; ending at once');
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
