import type { Logger } from '../../platform/shared/logger.ts';
import type { MessagingNetwork } from './messaging-network.ts';
import { SimulatorNetwork } from './simulator.ts';
import type { MessagingNetworkName } from './supported-content.ts';
import { type LinkedDeviceOptions, loadWhatsappNetwork } from './whatsapp-package.ts';

export interface MessagingNetworkConfig {
  messagingNetwork: MessagingNetworkName;
  simulatorUrl: () => string;
  whatsapp: LinkedDeviceOptions;
}

/** Throws `WhatsappNotInstalled` when the package of the network is missing. */
export async function createMessagingNetwork(
  config: MessagingNetworkConfig,
  logger: Pick<Logger, 'debug' | 'error' | 'warn'>,
): Promise<MessagingNetwork> {
  switch (config.messagingNetwork) {
    case 'simulator':
      return new SimulatorNetwork(config.simulatorUrl, logger);
    case 'whatsapp':
      return loadWhatsappNetwork({ ...config.whatsapp, logger });
  }
}
