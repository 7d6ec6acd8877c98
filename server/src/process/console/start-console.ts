import { createOutbound } from '../../platform/outbound/outbound.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import type { Config } from '../config.ts';
import { type Console, openConsole } from './open-console.ts';

/** Null while it is being built. */
export type OpenedConsole = Console | 'failed' | null;

/** Opens the console in the background, so that neither a build nor a slow logo delays the API. */
export function startConsole({
  config,
  logger,
  started,
}: {
  config: Pick<Config, 'BRAND_NAME' | 'BRAND_COLOR' | 'BRAND_LOGO_URL'>;
  logger: Logger;
  started: AsyncDisposableStack;
}): () => OpenedConsole {
  const ended = new AbortController();
  started.defer(() => ended.abort());
  let opened: OpenedConsole = null;
  void openConsole({
    brand: { name: config.BRAND_NAME, color: config.BRAND_COLOR, logoUrl: config.BRAND_LOGO_URL },
    fetchImage: createOutbound({ allowedHosts: [] }).fetchImage,
    logger,
    signal: ended.signal,
  }).then(
    (console) => {
      opened = console;
    },
    (error: unknown) => {
      if (ended.signal.aborted) return;
      opened = 'failed';
      logger.error({ err: error }, 'the console could not be built; run `npm ci` and start again');
    },
  );
  return () => opened;
}
