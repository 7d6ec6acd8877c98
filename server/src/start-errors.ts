/** Starts fail for reasons an operator can mend: their message is enough. Everything else shows where it came from. */
const explained = new Set([
  'ConfigurationError',
  'DatabaseUnreachable',
  'DataDirectoryTaken',
  'DataDirectoryUnusable',
  'DocumentsElsewhere',
  'EmbeddedServerError',
  'EncryptionKeyDamaged',
  'IdentityEmpty',
  'MigrationRefused',
  'WhatsappNotInstalled',
  'WrongEncryptionKey',
]);

/** Listening fails with these, the address in the message. */
const listenProblems: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another program uses this port: stop it, or choose another PORT (POOL_PORT, METRICS_PORT, SIMULATOR_PORT)',
  EADDRNOTAVAIL: 'this machine has no such address (see HOST, POOL_HOST, METRICS_HOST)',
  EACCES: 'this user may not listen on this port (see PORT, POOL_PORT, METRICS_PORT, SIMULATOR_PORT)',
  EAI_AGAIN: 'this name cannot be looked up (see HOST, POOL_HOST, METRICS_HOST)',
  ENOTFOUND: 'this name is no address of this machine (see HOST, POOL_HOST, METRICS_HOST)',
};

/** One text for standard error about a start that failed. */
export function describeStartError(error: unknown): string {
  return `Parley could not start: ${reasonOf(error)}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  const problem = listenProblems[code];
  if (problem !== undefined && (syscall === 'listen' || syscall === 'getaddrinfo')) {
    return `${error.message.replace(`${syscall} `, '')}; ${problem}`;
  }
  return explained.has(error.name) ? error.message : (error.stack ?? error.message);
}
