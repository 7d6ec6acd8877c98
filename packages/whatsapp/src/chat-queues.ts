/** Runs the tasks of each chat in order. Chats do not wait for each other. */
export class ChatQueues {
  readonly #last = new Map<string, Promise<void>>();

  isBusy(chat: string): boolean {
    return this.#last.has(chat);
  }

  /** After a failure, the later tasks of the chat do not run. They reject with the same error. */
  run(chat: string, task: () => Promise<void>): Promise<void> {
    const run = (this.#last.get(chat) ?? Promise.resolve()).then(task);
    this.#last.set(chat, run);
    const forget = () => {
      if (this.#last.get(chat) === run) this.#last.delete(chat);
    };
    run.then(forget, () => undefined);
    return run;
  }
}
