import { webhookUrl } from '../../devices/devices.ts';
import { connectDatabase } from '../../platform/database/database.ts';
import { type Pool, startPool } from '../../pool/pool.ts';
import { openNetworks } from '../../ports/messaging-network/create-messaging-network.ts';
import type { MessagingNetwork } from '../../ports/messaging-network/messaging-network.ts';
import { readLinkedDeviceOptions } from '../../ports/messaging-network/whatsapp-package.ts';
import { linkBase } from '../config.ts';
import type { Adapters, Context } from '../context.ts';

/** The pool role. `network` replaces the enabled networks. */
export async function composePool(
  context: Context,
  { fileStore }: Pick<Adapters, 'fileStore'>,
  simulatorUrl: () => string,
  network?: MessagingNetwork,
): Promise<Pool> {
  const { config, databaseUrl, db, deviceTokens, encryption } = context;
  const { hosts, logger, metrics, notifications } = context;
  const hostedNetwork =
    network ??
    (await openNetworks(
      context.networks,
      {
        simulatorUrl,
        whatsapp: readLinkedDeviceOptions(config),
        whatsappCloud: {
          baseUrl: config.WHATSAPP_CLOUD_BASE_URL,
          maxMediaBytes: config.WHATSAPP_MAX_MEDIA_BYTES,
        },
        telegram: {
          baseUrl: config.TELEGRAM_BASE_URL,
          webhookUrl: (accountKey) => webhookUrl(linkBase(config), 'telegram', accountKey),
        },
      },
      logger,
    ));
  const leaseConnection = connectDatabase({
    url: databaseUrl,
    poolSize: 1,
    applicationName: 'parley lease',
    onConnect: context.checkConnection,
    keepIdle: true,
    responseTimeoutMs: (config.LEASE_SECONDS * 1000) / 3, // leaves time to renew on another connection
    logger,
  });
  const pool = await startPool({
    db,
    leaseDb: leaseConnection.db,
    network: hostedNetwork,
    fileStore,
    notifications,
    encryption,
    deviceTokens,
    metrics,
    recordSpan: context.recordSpan,
    hosts,
    logger,
    clock: context.clock,
    messagePrices: context.messagePrices,
    config: {
      host: config.POOL_HOST,
      port: config.POOL_PORT,
      url: config.POOL_URL,
      capacity: config.POOL_CAPACITY,
      leaseSeconds: config.LEASE_SECONDS,
      pauseMs: config.SEND_PACE_SECONDS * 1000,
      inboundRates: {
        perContact: config.INBOUND_RATE_PER_CONTACT,
        perDevice: config.INBOUND_RATE_PER_DEVICE,
        maxWaitSeconds: config.INBOUND_MAX_WAIT_MINUTES * 60,
      },
    },
  });
  return {
    url: pool.url,
    async close() {
      await pool.close();
      await leaseConnection.close();
      await hostedNetwork.close();
    },
  };
}
