import type { Logger } from '../../platform/shared/logger.ts';
import type { DeviceNetworks } from './device-networks.ts';
import type { MessagingNetwork, NetworkSession, SessionOptions } from './messaging-network.ts';
import { SimulatorNetwork } from './simulator.ts';
import type { MessagingNetworkName } from './supported-content.ts';
import { createTelegramNetwork, type TelegramOptions } from './telegram/telegram.ts';
import { createWebNetwork } from './web.ts';
import type { CloudOptions } from './whatsapp-cloud/session-events.ts';
import { WhatsappCloudNetwork } from './whatsapp-cloud/whatsapp-cloud.ts';
import { type LinkedDeviceOptions, loadWhatsappNetwork } from './whatsapp-package.ts';

interface NetworkSettings {
  simulatorUrl: () => string;
  whatsapp: LinkedDeviceOptions;
  whatsappCloud: Omit<CloudOptions, 'logger'>;
  telegram: Omit<TelegramOptions, 'logger'>;
}

/** Opens the session of a device on its network. */
export interface OpenedNetworks {
  openSession(options: SessionOptions & { network: string | null }): NetworkSession;
  close(): Promise<void>;
}

/** Throws `WhatsappNotInstalled` when the package of an enabled network is missing. */
export async function openNetworks(
  networks: DeviceNetworks,
  settings: NetworkSettings,
  logger: Pick<Logger, 'debug' | 'error' | 'warn'>,
): Promise<OpenedNetworks> {
  const opened = new Map<MessagingNetworkName, MessagingNetwork>();
  for (const name of networks.enabled) opened.set(name, await createMessagingNetwork(name, settings, logger));
  return {
    openSession(options) {
      const name = networks.of(options);
      const network = opened.get(name);
      if (network !== undefined) return network.openSession(options);
      logger.warn(
        { deviceId: options.deviceId, network: name },
        'MESSAGING_NETWORK does not enable the network of a started device',
      );
      return openUnavailableSession(options);
    },
    close: async () => void (await Promise.all([...opened.values()].map((network) => network.close()))),
  };
}

/** Throws `WhatsappNotInstalled`. */
export async function createMessagingNetwork(
  name: MessagingNetworkName,
  { simulatorUrl, whatsapp, whatsappCloud, telegram }: NetworkSettings,
  logger: Pick<Logger, 'debug' | 'error' | 'warn'>,
): Promise<MessagingNetwork> {
  switch (name) {
    case 'simulator':
      return new SimulatorNetwork(simulatorUrl, logger);
    case 'web':
      return createWebNetwork(logger);
    case 'telegram':
      return createTelegramNetwork({ ...telegram, logger });
    case 'whatsapp_cloud':
      return new WhatsappCloudNetwork({ ...whatsappCloud, logger });
    case 'whatsapp':
      return loadWhatsappNetwork({ ...whatsapp, logger });
  }
}

/** Goes down at once. The pool tries again, less and less often. */
function openUnavailableSession({ events }: SessionOptions): NetworkSession {
  const down = Promise.resolve().then(() => events.down('unavailable'));
  return {
    send: () => Promise.reject(new Error('the network of the device is not enabled')),
    logout: () => Promise.reject(new Error('the network of the device is not enabled')),
    close: () => down,
  };
}
