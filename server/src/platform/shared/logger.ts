import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

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

/** Bytes and milliseconds. */
const buffering = { minLength: 16_000, periodicFlush: 100 };

/** Redacts credentials. A killed process loses the lines of its last 100 ms. */
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
  return pino(options, destination ?? pino.destination({ fd: 1, sync: false, ...buffering }));
}
