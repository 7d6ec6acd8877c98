import type { Logger } from '../../shared/logger.ts';
import type { MessagingNetwork } from './messaging-network.ts';
import { SimulatorNetwork } from './simulator.ts';
import type { MessagingNetworkName } from './supported-content.ts';
import { loadWhatsappNetwork } from './whatsapp-package.ts';

/** Which network is configured; `simulatorUrl` tells where the simulator is now. */
export interface MessagingNetworkConfig {
  messagingNetwork: MessagingNetworkName;
  simulatorUrl: () => string;
  /** The client version told to WhatsApp; null for the client library's own. */
  whatsappVersion: string | null;
}

/**
 * The adapter for the configured network. It connects only when a session is opened. Throws when the package that the
 * network needs is not installed.
 */
export async function createMessagingNetwork(
  config: MessagingNetworkConfig,
  logger: Pick<Logger, 'debug' | 'error' | 'warn'>,
): Promise<MessagingNetwork> {
  switch (config.messagingNetwork) {
    case 'simulator':
      return new SimulatorNetwork(config.simulatorUrl, logger);
    case 'whatsapp':
      return loadWhatsappNetwork({ version: config.whatsappVersion, logger });
  }
}
