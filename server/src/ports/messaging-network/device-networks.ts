import {
  type MessagingNetworkName,
  messagingNetworks,
  type NetworkCapabilities,
  networkCapabilities,
} from './supported-content.ts';

/** The networks of a deployment. */
export interface DeviceNetworks {
  /** The first one is the network of devices that are created without `network`. */
  enabled: readonly MessagingNetworkName[];
  /** `network` is null for a device that an earlier version created, which knew one network for all devices. */
  of(device: { network: string | null }): MessagingNetworkName;
  capabilitiesOf(device: { network: string | null }): NetworkCapabilities;
}

/** Earlier versions had one of them for all devices. */
const earlier: readonly MessagingNetworkName[] = ['simulator', 'whatsapp'];

export function createDeviceNetworks(enabled: readonly MessagingNetworkName[]): DeviceNetworks {
  const only = enabled.find((name) => earlier.includes(name)) ?? enabled[0] ?? 'simulator';
  const of = ({ network }: { network: string | null }): MessagingNetworkName =>
    messagingNetworks.find((name) => name === network) ?? only;
  return { enabled, of, capabilitiesOf: (device) => networkCapabilities[of(device)] };
}
