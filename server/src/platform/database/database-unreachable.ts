class DatabaseUnreachable extends Error {
  override readonly name = 'DatabaseUnreachable';
}

/** Names the host and the database, never the password. */
export function createUnreachableError(databaseUrl: string, error: unknown): DatabaseUnreachable {
  const message = `The database at ${describe(databaseUrl)} cannot be used: ${describeError(error)} (see DATABASE_URL).`;
  return new DatabaseUnreachable(message, { cause: error });
}

function describe(databaseUrl: string): string {
  const { host, pathname, searchParams } = new URL(databaseUrl);
  return `${searchParams.get('host') ?? host}${pathname}`;
}

function describeError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeError).join('; ');
  return error instanceof Error ? error.message : String(error);
}
