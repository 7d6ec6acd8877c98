import { fileURLToPath } from 'node:url';
import type { Logger } from '../../platform/shared/logger.ts';
import type { MessagingNetwork } from './messaging-network.ts';

export interface LinkedDeviceOptions {
  /** Client version, such as `2.3000.1`; null for the library's default. */
  version: string | null;
  /** The name in the phone's list of linked devices. */
  clientName?: string;
  /** Whether groups, channels and status are decrypted and confirmed. Default: false. */
  readsGroups?: boolean;
  /** Larger media of contacts are not downloaded. Default: 16 MiB. */
  maxMediaBytes?: number;
  /** How many new chats a device may start on each day after its link. Default: no limits. */
  newChatsPerDay?: readonly number[];
  /** Whether contacts see that the device is typing before it sends. Default: false. */
  showsTyping?: boolean;
  /** Whether messages are reported as read once they are stored. Default: false. */
  sendsReadReceipts?: boolean;
}

/** The environment variables of linked devices, null where they are not set. */
interface LinkedDeviceSettings {
  WHATSAPP_VERSION: string | null;
  WHATSAPP_CLIENT_NAME: string | null;
  WHATSAPP_READ_GROUPS: boolean;
  WHATSAPP_MAX_MEDIA_BYTES: number;
  WHATSAPP_NEW_CHATS_PER_DAY: readonly number[];
  WHATSAPP_TYPING: boolean;
  WHATSAPP_READ_RECEIPTS: boolean;
}

export const readLinkedDeviceOptions = (config: LinkedDeviceSettings): LinkedDeviceOptions => ({
  version: config.WHATSAPP_VERSION,
  readsGroups: config.WHATSAPP_READ_GROUPS,
  maxMediaBytes: config.WHATSAPP_MAX_MEDIA_BYTES,
  newChatsPerDay: config.WHATSAPP_NEW_CHATS_PER_DAY,
  showsTyping: config.WHATSAPP_TYPING,
  sendsReadReceipts: config.WHATSAPP_READ_RECEIPTS,
  ...(config.WHATSAPP_CLIENT_NAME !== null && { clientName: config.WHATSAPP_CLIENT_NAME }),
});

/** The exports of the optional package, whose dependencies may not be installed. */
interface WhatsappPackage {
  WhatsappNetwork: new (
    options: LinkedDeviceOptions & { logger: Pick<Logger, 'debug' | 'warn' | 'error'> },
  ) => MessagingNetwork;
}

const whatsappFolder = fileURLToPath(new URL('../../../../packages/whatsapp', import.meta.url));
const whatsappSource = new URL('../../../../packages/whatsapp/src/whatsapp.ts', import.meta.url);

/**
 * Installs the adapter's dependencies, which no package and no image of Parley contains. The options are those of the adapter's
 * `.npmrc`, which npm leaves out of packages.
 */
export const installWhatsapp = `npm ci --legacy-peer-deps --ignore-scripts --prefix ${whatsappFolder}`;

class WhatsappNotInstalled extends Error {
  override readonly name = 'WhatsappNotInstalled';
  constructor(cause: unknown) {
    super(
      `MESSAGING_NETWORK=whatsapp needs more packages: run \`${installWhatsapp}\` (their libsignal is licensed under GPL-3.0)`,
      { cause },
    );
  }
}

export async function loadWhatsappNetwork(
  options: LinkedDeviceOptions & { logger: Pick<Logger, 'debug' | 'warn' | 'error'> },
  entry?: URL,
): Promise<MessagingNetwork> {
  const { WhatsappNetwork } = await importWhatsapp(entry);
  return new WhatsappNetwork(options);
}

/** Throws `WhatsappNotInstalled` if the adapter's dependencies are missing. */
export async function importWhatsapp(entry: URL = whatsappSource): Promise<WhatsappPackage> {
  try {
    // The package's own tests check this shape.
    return (await import(entry.href)) as WhatsappPackage;
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    throw missing ? new WhatsappNotInstalled(error) : error;
  }
}
