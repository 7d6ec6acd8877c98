import { Readable } from 'node:stream';
import type { Scope } from '../database/scopes.ts';
import { isAfter, type Position } from './cursor.ts';
import type { EventFilter, EventRow } from './events.queries.ts';

/** An event with the text that a stream sends for it. */
export interface StreamedEvent extends Position {
  row: EventRow;
  text: string;
}

/** A client that does not read falls behind by at most this many bytes. It can resume after its last event. */
const maxUnreadBytes = 1024 * 1024;
const maxHeld = 1_000;

/** One client's server-sent events. Holds live events back until the earlier ones are sent. */
export class EventStream {
  readonly output: Readable;
  readonly scope: Scope;
  readonly filter: EventFilter;
  #held: StreamedEvent[] | null = [];
  #overflowed = false;
  /** The poll of all streams can be behind the position up to which this stream has read by itself. */
  #liveAfter: Position | null = null;

  constructor(scope: Scope, filter: EventFilter, onClose: () => void) {
    this.scope = scope;
    this.filter = filter;
    this.output = new Readable({ read: () => undefined });
    this.output.once('close', onClose);
  }

  get isLive(): boolean {
    return this.#held === null;
  }

  send(event: StreamedEvent): void {
    if (!this.#isWanted(event.row)) return;
    if (this.#liveAfter !== null && !isAfter(event, this.#liveAfter)) return;
    if (this.#held === null) this.write(event.text);
    else if (this.#held.length < maxHeld) this.#held.push(event);
    else this.#overflowed = true;
  }

  /** Sends the held events after `sent` and goes live. Returns false if too many were held; then read on from `sent`. */
  goLive(sent: Position): boolean {
    const held = this.#held ?? [];
    if (this.#overflowed) {
      this.#overflowed = false;
      this.#held = [];
      return false;
    }
    this.#held = null;
    this.#liveAfter = sent;
    for (const event of held) this.send(event);
    return true;
  }

  write(text: string): void {
    if (this.output.destroyed || this.output.readableEnded) return;
    this.output.push(text);
    if (this.output.readableLength > maxUnreadBytes) this.output.destroy();
  }

  end(): void {
    if (!this.output.destroyed) this.output.push(null);
  }

  #isWanted({ team_id, type }: EventRow): boolean {
    const { scope, filter } = this;
    return (
      (scope.kind === 'all' || team_id === scope.teamId) &&
      (filter.teamId === undefined || team_id === filter.teamId) &&
      (filter.types === undefined || filter.types.includes(type))
    );
  }
}
