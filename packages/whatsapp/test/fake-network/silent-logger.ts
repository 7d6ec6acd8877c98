import type { SocketConfig } from 'baileys';

export const silentLogger: SocketConfig['logger'] = {
  level: 'silent',
  child: () => silentLogger,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
