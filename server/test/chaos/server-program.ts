import { createLogger } from '../../src/platform/shared/logger.ts';
import { waitForStopSignal } from '../../src/platform/shared/signals.ts';
import { readConfig } from '../../src/process/config.ts';
import { startRoles } from '../../src/process/start.ts';
import { createRemoteProvider } from './provider/remote-provider.ts';

/** Runs Parley like `main.ts`, but with the fake provider at `PROVIDER_URL`, if that is set. */
const config = readConfig(process.env);
const logger = createLogger(config.LOG_LEVEL);
const stop = waitForStopSignal();
const started = new AsyncDisposableStack();
try {
  const url = process.env['PROVIDER_URL'];
  const replacements = url === undefined ? {} : { provider: createRemoteProvider(url) };
  logger.info(await startRoles({ config, logger, started, replacements }), 'ready');
  await stop;
} finally {
  await started.disposeAsync();
}
process.exit(0);
