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

/** disk_full, and the codes of files */
const fullDisk = /^(53100|ENOSPC|EDQUOT)$/;

const hasFullDiskCode = (error: unknown): boolean => fullDisk.test(Object(error).code ?? '');

/** True if a full disk caused the error, and the operation changed nothing. */
export function isStorageFull(error: unknown): boolean {
  if (error instanceof DatabaseLost || !(error instanceof Error)) return false;
  return hasFullDiskCode(error) || isStorageFull(error.cause);
}

export const asNotReached = (error: Error): Error =>
  isConnectionLost(error) ? new DatabaseNotReached(error) : error;

/** Runs the rest of an operation that has changed something. Throws `DatabaseLost` if it is interrupted. */
export async function continueOperation<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const wouldDenyChange =
      error instanceof DatabaseNotReached || isLockConflict(error) || hasFullDiskCode(error);
    throw wouldDenyChange ? new DatabaseLost(error) : error;
  }
}

export const isDatabaseError = (error: unknown): boolean =>
  [pg.DatabaseError, DatabaseNotReached, DatabaseLost, StatementTimedOut].some(
    (kind) => error instanceof kind,
  );

/** Returns the message and the code of an error that the server reported, else null. */
export const readRefusal = (error: unknown): string | null =>
  error instanceof pg.DatabaseError ? `${error.message} (${error.code})` : null;
