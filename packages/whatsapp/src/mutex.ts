/** Runs a task when those begun before it are done, whatever became of them. */
export type RunExclusive = <Result>(task: () => Promise<Result>) => Promise<Result>;

/**
 * Turns for what moves a chat's encryption on: the library reads and stores its keys in transactions that overlap between
 * sending and receiving, and what one of them overwrites makes messages that the other side cannot open.
 */
export function createMutex(): RunExclusive {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const mine = last.then(task);
    last = mine.catch(() => undefined);
    return mine;
  };
}
