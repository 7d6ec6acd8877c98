import type { Logger } from '../../shared/logger.ts';
import type { MessagingNetwork } from './messaging-network.ts';

/** The exports of the optional package, which may not be installed. */
interface WhatsappPackage {
  WhatsappNetwork: new (options: {
    version: string | null;
    logger: Pick<Logger, 'debug' | 'warn' | 'error'>;
  }) => MessagingNetwork;
}

class WhatsappNotInstalled extends Error {
  override readonly name = 'WhatsappNotInstalled';
  constructor(cause: unknown) {
    super(
      'MESSAGING_NETWORK=whatsapp needs an optional package: run `npm ci --prefix packages/whatsapp` (its dependency libsignal is licensed under GPL-3.0)',
      { cause },
    );
  }
}

const source = new URL('../../../../packages/whatsapp/src/whatsapp.ts', import.meta.url);

export async function loadWhatsappNetwork(
  options: { version: string | null; logger: Pick<Logger, 'debug' | 'warn' | 'error'> },
  entry: URL = source,
): Promise<MessagingNetwork> {
  try {
    // The package's own tests check this shape.
    const { WhatsappNetwork } = (await import(entry.href)) as WhatsappPackage;
    return new WhatsappNetwork(options);
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    throw missing ? new WhatsappNotInstalled(error) : error;
  }
}
