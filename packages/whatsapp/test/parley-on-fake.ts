import { createLogger } from '../../../server/src/platform/shared/logger.ts';
import { waitForStopSignal } from '../../../server/src/platform/shared/signals.ts';
import { readLinkedDeviceOptions } from '../../../server/src/ports/messaging-network/whatsapp-package.ts';
import { readConfig } from '../../../server/src/process/config.ts';
import { startRoles } from '../../../server/src/process/start.ts';
import { WhatsappNetwork } from '../src/whatsapp.ts';

/** Starts Parley like `server/src/main.ts`, but connects the adapter to the fake network at `FAKE_NETWORK`. */
const config = readConfig(process.env);
const logger = createLogger(config.LOG_LEVEL);
const options = readLinkedDeviceOptions(config);
const network = new WhatsappNetwork({ ...options, logger }, process.env['FAKE_NETWORK'] ?? '');
const stop = waitForStopSignal();
const started = new AsyncDisposableStack();
logger.info(await startRoles({ config, logger, started, replacements: { network } }), 'ready');
await stop;
await started.disposeAsync();
process.exit(0);
