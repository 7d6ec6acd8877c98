/** The database does not let us in; the message names it without its password. */
class DatabaseUnreachable extends Error {
  override readonly name = 'DatabaseUnreachable';
}

/** What a failed connection to the database at `databaseUrl` is told as. */
export function createUnreachableError(databaseUrl: string, error: unknown): DatabaseUnreachable {
  const message = `The database at ${describe(databaseUrl)} cannot be used: ${reasonOf(error)} (see DATABASE_URL).`;
  return new DatabaseUnreachable(message, { cause: error });
}

function describe(databaseUrl: string): string {
  const { host, pathname, searchParams } = new URL(databaseUrl);
  return `${searchParams.get('host') ?? host}${pathname}`;
}

/** A host name with several addresses fails with one error for each. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
