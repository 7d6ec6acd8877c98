export type RunExclusive = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** Separates encryption and decryption: overlapping key transactions of the library would overwrite keys. */
export function createMutex(): RunExclusive {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const run = last.then(task);
    last = run.catch(() => undefined);
    return run;
  };
}
