/** The database could not be reached: nothing of what was asked of it is done. */
export class DatabaseNotReached extends Error {
  override readonly name = 'DatabaseNotReached';
  constructor(cause: unknown) {
    super('the database could not be reached', { cause });
  }
}
