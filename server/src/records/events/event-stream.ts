import { Readable } from 'node:stream';
import type { Scope } from '../../platform/database/scopes.ts';
import { signalType } from './catalogue.ts';
import { isAfter, type Position } from './cursor.ts';
import type { EventFilter, EventRow } from './events.queries.ts';

/** An event with the text that a stream sends for it. */
export interface StreamedEvent extends Position {
  row: EventRow;
  text: string;
}

/** A client that does not read falls behind by at most this many bytes. It can resume after its last event. */
const maxUnreadBytes = 1024 * 1024;
/** Unread events of the past and held ones together stay below the limit. */
const maxHeldBytes = maxUnreadBytes / 2;

/** One client's server-sent events. Holds live events back until the earlier ones are sent. */
export class EventStream {
  readonly output: Readable;
  readonly scope: Scope;
  readonly filter: EventFilter;
  readonly #actorId: string | null;
  #held: StreamedEvent[] | null = [];
  #heldBytes = 0;
  #overflowed = false;
  /** The client may still have to read the bytes that were sent before. */
  #ended = false;
  /** The poll of all streams can be behind the position up to which this stream has read by itself. */
  #liveAfter: Position | null = null;

  constructor(
    { scope, filter, actorId }: { scope: Scope; filter: EventFilter; actorId: string | null },
    onClose: () => void,
  ) {
    this.scope = scope;
    this.filter = filter;
    this.#actorId = actorId;
    this.output = new Readable({ read: () => undefined });
    this.output.once('close', onClose);
  }

  get isLive(): boolean {
    return this.#held === null;
  }

  /** Whether earlier events should wait until the client has read. */
  get isHalfFull(): boolean {
    return this.output.readableLength > maxUnreadBytes / 2;
  }

  get wantsSignals(): boolean {
    return this.filter.types?.includes(signalType) === true;
  }

  /** A stream that still reads earlier events misses the signal. */
  signal({ teamId, authorId, text }: { teamId: string; authorId: string; text: string }): void {
    if (!this.isLive || !this.wantsSignals || authorId === this.#actorId || !this.#isOfTeam(teamId)) return;
    this.write(text);
  }

  send(event: StreamedEvent): void {
    if (!this.#isWanted(event.row)) return;
    if (this.#liveAfter !== null && !isAfter(event, this.#liveAfter)) return;
    if (this.#held === null) this.write(event.text);
    else if (!this.#overflowed) this.#hold(this.#held, event);
  }

  /** Sends the held events after `sent` and goes live. Returns false if too many were held; then read on from `sent`. */
  goLive(sent: Position): boolean {
    const held = this.#held ?? [];
    this.#heldBytes = 0;
    if (this.#overflowed) {
      this.#overflowed = false;
      return false;
    }
    this.#held = null;
    this.#liveAfter = sent;
    for (const event of held) this.send(event);
    return true;
  }

  write(text: string): void {
    if (this.output.destroyed || this.#ended) return;
    this.output.push(text);
    if (this.output.readableLength > maxUnreadBytes) this.output.destroy();
  }

  end(): void {
    if (this.output.destroyed || this.#ended) return;
    this.#ended = true;
    this.output.push(null);
  }

  #hold(held: StreamedEvent[], event: StreamedEvent): void {
    held.push(event);
    this.#heldBytes += Buffer.byteLength(event.text);
    if (this.#heldBytes <= maxHeldBytes) return;
    this.#overflowed = true;
    this.#held = [];
  }

  #isWanted({ team_id, type }: EventRow): boolean {
    const { types } = this.filter;
    return this.#isOfTeam(team_id) && (types === undefined || types.includes(type));
  }

  #isOfTeam(teamId: string | null): boolean {
    const { scope, filter } = this;
    return (
      (scope.kind === 'all' || teamId === scope.teamId) &&
      (filter.teamId === undefined || teamId === filter.teamId)
    );
  }
}
