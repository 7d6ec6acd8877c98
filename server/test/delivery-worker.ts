import { connectDatabase } from '../src/platform/database/database.ts';
import { createOutbound } from '../src/platform/outbound/outbound.ts';
import { createEncryption } from '../src/platform/shared/encryption.ts';
import { armFaultPoints, parseArmedFaultPoints } from '../src/platform/shared/fault-points.ts';
import { createLogger } from '../src/platform/shared/logger.ts';
import { startDeliveries } from '../src/records/webhooks/deliveries.ts';

export interface DeliveryWorkerOptions {
  databaseUrl: string;
  /** The receiver's `host:port`. */
  host: string;
  faultPoint: string | undefined;
}

/** As in the harness, which starts a database when it is imported. */
const encryptionKey = Buffer.alloc(32, 7);

process.once('message', ({ databaseUrl, host, faultPoint }: DeliveryWorkerOptions) => {
  armFaultPoints(faultPoint === undefined ? null : parseArmedFaultPoints(faultPoint));
  const logger = createLogger('warn');
  const { db } = connectDatabase({
    url: databaseUrl,
    poolSize: 4,
    applicationName: 'delivery worker',
    logger,
  });
  startDeliveries({
    db,
    outbound: createOutbound({ allowedHosts: [host] }),
    encryption: createEncryption(encryptionKey),
    logger,
  });
  process.send?.('started');
});
process.on('disconnect', () => process.exit());
