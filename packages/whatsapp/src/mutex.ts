/** Runs a task after all earlier tasks have settled. */
export type RunExclusive = <Result>(task: () => Promise<Result>) => Promise<Result>;

/**
 * Creates a mutex for encryption and decryption. The library's key transactions for sending and receiving overlap, and an
 * overwritten key makes later messages undecryptable.
 */
export function createMutex(): RunExclusive {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const run = last.then(task);
    last = run.catch(() => undefined);
    return run;
  };
}
