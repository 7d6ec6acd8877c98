import { composeRoles } from './compose.ts';
import { readConfig } from './config.ts';
import { createLogger } from './shared/logger.ts';
import { whenToldToStop } from './shared/signals.ts';
import { explainStart } from './start-errors.ts';

/** The whole life of a Parley process: read the configuration, start the roles, wait for the signal, stop in reverse. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLogger(config.LOG_LEVEL);
  const stop = whenToldToStop();
  const started = new AsyncDisposableStack();
  try {
    const service = await composeRoles({ config, logger, started });
    logger.info(service.addresses, 'ready');
    const signal = await stop;
    logger.info({ signal }, 'stopping: finishing what runs; a second signal ends at once');
  } finally {
    await started.disposeAsync();
  }
  logger.info('stopped');
}

main().catch((error: unknown) => {
  process.stderr.write(`${explainStart(error)}\n`);
  process.exit(1);
});
