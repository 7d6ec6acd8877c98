import pg from 'pg';

/** The database could not be reached, so nothing was changed. */
export class DatabaseNotReached extends Error {
  override readonly name = 'DatabaseNotReached';
  constructor(cause: unknown) {
    super('the database could not be reached', { cause });
  }
}

/** The connection failed after the operation had begun, so its outcome is unknown. */
export class DatabaseLost extends Error {
  override readonly name = 'DatabaseLost';
  constructor(cause: unknown) {
    super('the connection to the database was lost', { cause });
  }
}

export class StatementTimedOut extends Error {
  override readonly name = 'StatementUnanswered';
  constructor() {
    super('the database does not respond');
  }
}

/** Codes, or messages of pg's errors without a code. */
const lostConnection =
  /^(ECONNRESET|EPIPE|08...|57P0[124]|Connection terminated( unexpectedly)?|Client has encountered a connection error.*)$/;

/** The statement may have succeeded, even if it is a commit. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof StatementTimedOut) return true;
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return lostConnection.test(code || message);
}

/** deadlock_detected, lock_not_available */
const lockConflict = /^(40P01|55P03)$/;

export const isLockConflict = (error: unknown): boolean =>
  lockConflict.test((error as { code?: string } | undefined)?.code ?? '');

export const asNotReached = (error: Error): Error =>
  isConnectionLost(error) ? new DatabaseNotReached(error) : error;

/** Runs the rest of an operation that has changed something. Throws `DatabaseLost` if it is interrupted. */
export async function continueOperation<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof DatabaseNotReached || isLockConflict(error) ? new DatabaseLost(error) : error;
  }
}

/** Returns the message and the code of an error that the server reported, else null. */
export const readRefusal = (error: unknown): string | null =>
  error instanceof pg.DatabaseError ? `${error.message} (${error.code})` : null;
