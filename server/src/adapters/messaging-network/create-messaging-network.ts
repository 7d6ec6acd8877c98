import type { Logger } from '../../shared/logger.ts';
import type { MessagingNetwork } from './messaging-network.ts';
import { SimulatorNetwork } from './simulator.ts';
import type { MessagingNetworkName } from './supported-content.ts';
import { loadWhatsappNetwork } from './whatsapp-package.ts';

/** `simulatorUrl` returns the current address of the simulator. */
export interface MessagingNetworkConfig {
  messagingNetwork: MessagingNetworkName;
  simulatorUrl: () => string;
  /** The client version sent to WhatsApp; null for the default of the client library. */
  whatsappVersion: string | null;
}

/** Creates the adapter for the configured network. Throws when the network's package is not installed. */
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
