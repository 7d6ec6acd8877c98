import type { Logger } from '../../shared/logger.ts';
import type { MessagingNetwork } from './messaging-network.ts';

/** What the optional package gives; its types are its own, since it may not be installed. */
interface WhatsappPackage {
  WhatsappNetwork: new (options: {
    version: string | null;
    logger: Pick<Logger, 'debug' | 'warn' | 'error'>;
  }) => MessagingNetwork;
}

/** The optional package is not installed: the message says how that is done. */
class WhatsappNotInstalled extends Error {
  override readonly name = 'WhatsappNotInstalled';
  constructor(cause: unknown) {
    super(
      'MESSAGING_NETWORK=whatsapp needs an optional package: run `npm ci --prefix packages/whatsapp` (it brings libsignal, which is under the GPL-3.0)',
      { cause },
    );
  }
}

const source = new URL('../../../../packages/whatsapp/src/whatsapp.ts', import.meta.url);

/** Loads the adapter for linked devices. Throws `WhatsappNotInstalled`. */
export async function loadWhatsappNetwork(
  options: { version: string | null; logger: Pick<Logger, 'debug' | 'warn' | 'error'> },
  entry: URL = source,
): Promise<MessagingNetwork> {
  try {
    // Known to be of this shape by the package's own tests, which run on this function.
    const { WhatsappNetwork } = (await import(entry.href)) as WhatsappPackage;
    return new WhatsappNetwork(options);
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    throw missing ? new WhatsappNotInstalled(error) : error;
  }
}
