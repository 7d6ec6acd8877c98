import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** The time in ISO 8601, put together once a millisecond, however many lines it has. */
function createIsoTime(): () => string {
  let last = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== last) {
      last = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}

/** Bytes of lines that are gathered, and milliseconds that a line waits at most, before they are written in one piece. */
const gathering = { minLength: 16_000, periodicFlush: 100 };

/**
 * JSON lines to standard output (or `destination`), with everything that could be a credential blanked out. A process
 * that is killed takes the lines of its last tenth of a second with it; one that ends in any other way writes them.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: createIsoTime(),
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
  return pino(options, destination ?? pino.destination({ fd: 1, sync: false, ...gathering }));
}
