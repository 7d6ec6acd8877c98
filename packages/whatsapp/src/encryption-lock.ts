import { AsyncLocalStorage } from 'node:async_hooks';

/** `send` must keep valid encryption sessions. */
export type EncryptionUse = 'send' | 'receive' | 'refresh';

interface Turn {
  use: EncryptionUse;
  over: boolean;
}

/** Separates encryption, decryption and key refreshes: overlapping key transactions of the library overwrite keys. */
export class EncryptionLock {
  readonly #turns = new AsyncLocalStorage<Turn>();
  #last: Promise<unknown> = Promise.resolve();

  /** The use that the caller runs in, or null. */
  get use(): EncryptionUse | null {
    const turn = this.#turns.getStore();
    return turn === undefined || turn.over ? null : turn.use;
  }

  /** Runs at once when the caller already has the lock. */
  run<Result>(use: EncryptionUse, task: () => Promise<Result>): Promise<Result> {
    if (this.use !== null) return task();
    const turn: Turn = { use, over: false };
    const run = this.#last
      .then(() => this.#turns.run(turn, task))
      .finally(() => {
        turn.over = true;
      });
    this.#last = run.catch(() => undefined);
    return run;
  }
}
