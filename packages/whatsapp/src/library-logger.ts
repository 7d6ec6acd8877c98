import type { SocketConfig } from 'baileys';

/** The part of the process's logger that a session uses. */
export interface SessionLogger {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * What the client library has to say, without what it says it about: that holds keys, numbers and texts. Its warnings
 * and errors are mostly ordinary ends of connections, so they are for those who look closely.
 */
export function libraryLogger(logger: SessionLogger, deviceId: string): SocketConfig['logger'] {
  const tell = (about: unknown, message?: string) => {
    const said = message ?? (typeof about === 'string' ? about : 'no words');
    logger.debug({ deviceId }, `client library: ${said}`);
  };
  const own: SocketConfig['logger'] = {
    level: 'warn',
    child: () => own,
    trace: () => undefined,
    debug: () => undefined,
    info: () => undefined,
    warn: tell,
    error: tell,
  };
  return own;
}
