/** Starts fail for reasons an operator can mend: their message is enough. Everything else shows where it came from. */
const explained = new Set(['ConfigurationError', 'MigrationRefused', 'EmbeddedServerError']);

/** One text for standard error about a start that failed. */
export function explainStart(error: unknown): string {
  if (!(error instanceof Error)) return `Parley could not start: ${error}`;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return `Parley could not start: ${error.message}; another program uses the port (see PORT)`;
  return `Parley could not start: ${explained.has(error.name) ? error.message : (error.stack ?? error.message)}`;
}
