import type { Logger } from '../../shared/logger.ts';
import type { MessagingNetwork } from './messaging-network.ts';
import { SimulatorNetwork } from './simulator.ts';

/** Which network is configured; `simulatorUrl` tells where the simulator is now. */
export interface MessagingNetworkConfig {
  messagingNetwork: 'simulator';
  simulatorUrl: () => string;
}

/** The adapter for the configured network. It connects only when a session is opened. */
export function createMessagingNetwork(
  config: MessagingNetworkConfig,
  logger: Pick<Logger, 'error' | 'warn'>,
): MessagingNetwork {
  switch (config.messagingNetwork) {
    case 'simulator':
      return new SimulatorNetwork(config.simulatorUrl, logger);
  }
}
