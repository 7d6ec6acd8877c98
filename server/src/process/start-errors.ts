import { readRefusal } from '../platform/database/connection-errors.ts';

/** Errors that an operator can fix from the message alone. Other errors print their stack. */
const selfExplanatory = new Set([
  'CommandFailed',
  'ConfigurationError',
  'DatabaseUnreachable',
  'DataDirectoryTaken',
  'DataDirectoryUnusable',
  'DocumentsElsewhere',
  'EmbeddedServerError',
  'EncryptionKeyDamaged',
  'EncryptionKeyLost',
  'IdentityEmpty',
  'KnowledgeElsewhere',
  'MigrationRefused',
  'RestoreRefused',
  'WhatsappNotInstalled',
  'WrongEncryptionKey',
]);

const listenProblems: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another program uses this port: stop it, or choose another PORT (POOL_PORT, METRICS_PORT, SIMULATOR_PORT)',
  EADDRNOTAVAIL:
    'no network interface of this machine has this address (check HOST, POOL_HOST, METRICS_HOST)',
  EACCES:
    'this user has no permission to listen on this port (check PORT, POOL_PORT, METRICS_PORT, SIMULATOR_PORT)',
  EAI_AGAIN: 'DNS cannot resolve this host name (check HOST, POOL_HOST, METRICS_HOST)',
  ENOTFOUND: 'this host name does not resolve to an address (check HOST, POOL_HOST, METRICS_HOST)',
};

export function describeStartError(error: unknown): string {
  return `Parley could not start: ${getReason(error)}`;
}

function getReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  const problem = listenProblems[code];
  if (problem !== undefined && (syscall === 'listen' || syscall === 'getaddrinfo')) {
    return `${error.message.replace(`${syscall} `, '')}; ${problem}`;
  }
  const refusal = readRefusal(error);
  if (refusal !== null) return `The database refused a statement: ${refusal} (see DATABASE_URL).`;
  return selfExplanatory.has(error.name) ? error.message : (error.stack ?? error.message);
}
