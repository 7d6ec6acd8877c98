import type { SocketConfig } from 'baileys';

export interface SessionLogger {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Logs the library's messages at debug level, without their fields, which contain keys, numbers and texts. */
export function libraryLogger(logger: SessionLogger, deviceId: string): SocketConfig['logger'] {
  const log = (about: unknown, message?: string) => {
    const text = message ?? (typeof about === 'string' ? about : 'no message');
    logger.debug({ deviceId }, `client library: ${text}`);
  };
  const own: SocketConfig['logger'] = {
    level: 'warn',
    child: () => own,
    trace: () => undefined,
    debug: () => undefined,
    info: () => undefined,
    warn: log,
    error: log,
  };
  return own;
}
