/** The database could not be reached: nothing of what was asked of it is done. */
export class DatabaseNotReached extends Error {
  override readonly name = 'DatabaseNotReached';
  constructor(cause: unknown) {
    super('the database could not be reached', { cause });
  }
}

/** The database went away after something had been done: what became of the rest is not known. */
export class DatabaseLost extends Error {
  override readonly name = 'DatabaseLost';
  constructor(cause: unknown) {
    super('the database went away on the way', { cause });
  }
}

/** pg's words for a statement that was not answered in time; its connection goes on waiting for the answer. */
const unanswered = 'Query read timeout';

/** Whether the connection of the statement that failed must not be used again. */
export const isUnanswered = (error: Error | undefined): boolean => error?.message === unanswered;

/** Codes, and what pg gives no code. */
const brokenOff = new RegExp(
  `^(ECONNRESET|EPIPE|08...|57P0[124]|Connection terminated( unexpectedly)?|Client has encountered a connection error.*|${unanswered})$`,
);

/** Whether a connection broke under a statement, which may have been done, a commit too. */
export function brokeOff(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return brokenOff.test(code || message);
}

/** What an error of the database means where nothing was to be changed yet. */
export const beforeBegin = (error: Error): Error => (brokeOff(error) ? new DatabaseNotReached(error) : error);

/**
 * Runs what is left of an operation that has done something already. A database that cannot be reached then is no reason
 * to say that nothing has begun: it is thrown as lost.
 */
export async function onceBegun<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof DatabaseNotReached ? new DatabaseLost(error) : error;
  }
}
