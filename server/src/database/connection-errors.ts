/** The database could not be reached: nothing of what was asked of it is done. */
export class DatabaseNotReached extends Error {
  override readonly name = 'DatabaseNotReached';
  constructor(cause: unknown) {
    super('the database could not be reached', { cause });
  }
}

/** The database did not do the rest of what had been begun, or did not say so: what became of it is not known. */
export class DatabaseLost extends Error {
  override readonly name = 'DatabaseLost';
  constructor(cause: unknown) {
    super('the database broke off on the way', { cause });
  }
}

/** A statement got no answer for so long that its connection is taken for broken. */
export class StatementTimedOut extends Error {
  override readonly name = 'StatementUnanswered';
  constructor() {
    super('the database does not answer');
  }
}

/** Codes, and what pg gives no code. */
const brokenOff =
  /^(ECONNRESET|EPIPE|08...|57P0[124]|Connection terminated( unexpectedly)?|Client has encountered a connection error.*)$/;

/** Whether a connection broke under a statement, which may have been done, a commit too. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof StatementTimedOut) return true;
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return brokenOff.test(code || message);
}

/** `deadlock_detected` and `lock_not_available` of PostgreSQL. */
const gaveWay = /^(40P01|55P03)$/;

/** Whether PostgreSQL undid a transaction because others held, and waited for, or held for too long, what it needed. */
export const isLockConflict = (error: unknown): boolean =>
  gaveWay.test((error as { code?: string }).code ?? '');

/** What an error of the database means where nothing was to be changed yet. */
export const asNotReached = (error: Error): Error =>
  isConnectionLost(error) ? new DatabaseNotReached(error) : error;

/**
 * Runs what is left of an operation that has done something already. A database that cannot be reached then, or undoes the
 * transaction in favour of others, is no reason to say that nothing was done: it is thrown as lost.
 */
export async function continueOperation<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof DatabaseNotReached || isLockConflict(error) ? new DatabaseLost(error) : error;
  }
}
