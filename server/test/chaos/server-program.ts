import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { waitForStopSignal } from '../../src/shared/signals.ts';
import { startRoles } from '../../src/start.ts';
import { createRemoteProvider } from './provider/remote-provider.ts';

/** Runs Parley like `main.ts`, but with the fake provider at `PROVIDER_URL`. */
const config = readConfig(process.env);
const logger = createLogger(config.LOG_LEVEL);
const stop = waitForStopSignal();
const started = new AsyncDisposableStack();
try {
  const provider = createRemoteProvider(process.env['PROVIDER_URL'] ?? '');
  logger.info(await startRoles({ config, logger, started, replacements: { provider } }), 'ready');
  await stop;
} finally {
  await started.disposeAsync();
}
process.exit(0);
