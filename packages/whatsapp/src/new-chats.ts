import { setTimeout as delay } from 'node:timers/promises';
import { type NewChatRestriction, SendRefused } from '@parley/server/messaging-network';
import type { StoredState } from './stored-state.ts';

const entry = { kind: 'inbox', id: 'new-chats' } as const;
/** If the network gives no end. */
const defaultRestrictionMs = 3_600_000;
const dayMs = 86_400_000;
/** The refused message waits for the query. */
const maxQueryMs = 3000;

interface Day {
  linkedOn: number;
  today: number;
  started: number;
}

export interface NewChatsOptions {
  state: Pick<StoredState, 'linked' | 'read' | 'write'>;
  /** The limits of the days since the link. Later days have no limit. */
  perDay: readonly number[];
  /** Queries the end of the restriction. Null if the account is not restricted. */
  fetchEnd(): Promise<Date | 'unknown' | null>;
  report(restriction: NewChatRestriction | null): Promise<void>;
}

/**
 * Starts new chats one at a time. After the network refused one, it starts no others until the restriction ends, because
 * further attempts would prolong it.
 */
export class NewChats {
  readonly #options: NewChatsOptions;
  /** Contacts who wrote during this session. */
  readonly #writers = new Set<string>();
  #day: Day;
  #last: Promise<unknown> = Promise.resolve();
  #restrictedUntil = 0;
  #queries = 0;

  private constructor(options: NewChatsOptions, day: Day) {
    this.#options = options;
    this.#day = day;
  }

  static async open(options: NewChatsOptions): Promise<NewChats> {
    // Only `#write` writes this entry.
    const stored = (await options.state.read(entry.kind, entry.id)) as Day | undefined;
    const newChats = new NewChats(options, stored ?? firstDay());
    if (stored === undefined && options.state.linked) await newChats.beginWarmUp();
    return newChats;
  }

  /** Call it when a phone was linked: the limits count the days since then. */
  beginWarmUp(): Promise<void> {
    return this.#write(firstDay());
  }

  wrote(contact: string): void {
    this.#writers.add(contact);
  }

  hasWritten(contact: string): boolean {
    return this.#writers.has(contact);
  }

  start(send: () => Promise<void>): Promise<void> {
    const run = this.#last.then(async () => {
      if (this.#queries > 0 || this.#restrictedUntil > Date.now()) throw new SendRefused('device_restricted');
      await this.#count();
      await send();
    });
    this.#last = run.catch(() => undefined);
    return run;
  }

  /** The network refused a chat. Returns false if it says that the account is not restricted: then the contact's token was missing. */
  async restrict(): Promise<boolean> {
    // Chats must not start during the query.
    this.#queries += 1;
    const timeout = delay(maxQueryMs, 'unknown' as const, { ref: false });
    const end = await Promise.race([this.#options.fetchEnd().catch(() => 'unknown' as const), timeout]);
    this.#queries -= 1;
    if (end === 'unknown') await this.assumeRestriction();
    else if (end !== null) await this.update(end);
    return end !== null;
  }

  /** Further new chats could cause a restriction. */
  assumeRestriction(): Promise<void> {
    return this.update(new Date(Date.now() + defaultRestrictionMs));
  }

  /** The network reported a restriction, or its end with null. */
  async update(until: Date | null): Promise<void> {
    if (until === null && this.#restrictedUntil === 0) return;
    this.#restrictedUntil = until?.getTime() ?? 0;
    await this.#options.report(until === null ? null : { until, reason: 'network_refused' });
  }

  /** Throws `SendRefused` when the day's limit is reached. */
  async #count(): Promise<void> {
    const { perDay, report } = this.#options;
    if (perDay.length === 0) return;
    const today = currentDay();
    const { linkedOn, started } = this.#day.today === today ? this.#day : { ...this.#day, started: 0 };
    const limit = perDay[today - linkedOn] ?? Number.POSITIVE_INFINITY;
    if (started >= limit) {
      const until = new Date((today + 1) * dayMs);
      this.#restrictedUntil = until.getTime();
      await report({ until, reason: 'warm_up' });
      throw new SendRefused('device_restricted');
    }
    await this.#write({ linkedOn, today, started: started + 1 });
  }

  async #write(day: Day): Promise<void> {
    const { perDay, state } = this.#options;
    this.#day = day;
    if (perDay.length > 0) await state.write([{ ...entry, value: day }]);
  }
}

const currentDay = (): number => Math.floor(Date.now() / dayMs);

function firstDay(): Day {
  const today = currentDay();
  return { linkedOn: today, today, started: 0 };
}
