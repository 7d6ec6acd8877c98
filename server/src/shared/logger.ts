import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** JSON lines to standard output (or `destination`), with everything that could be a credential blanked out. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: [
        'authorization',
        'key_secret',
        'token',
        'access_token',
        'headers.authorization',
        '*.key_secret',
        '*.token',
      ],
      censor: '[redacted]',
    },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
