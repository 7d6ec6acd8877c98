import type { StoredContent } from './content.ts';

/** A message between a linked phone and a contact. `direction` is seen from the linked phone. */
export interface ChatEntry {
  id: string;
  direction: 'in' | 'out';
  sentAt: string;
  content: StoredContent;
  /** The credential of the linked device that sent it, or null for a phone. */
  sender: string | null;
  copies: number;
}

/** Longer chats get an index. Most chats are short, and there may be a million of them. */
const unindexedLength = 16;

export class Chat {
  readonly #entries: ChatEntry[] = [];
  #index: Map<string, ChatEntry> | null = null;

  get entries(): readonly ChatEntry[] {
    return this.#entries;
  }

  find(direction: 'in' | 'out', id: string): ChatEntry | null {
    if (this.#index) return this.#index.get(`${direction} ${id}`) ?? null;
    return this.#entries.find((entry) => entry.id === id && entry.direction === direction) ?? null;
  }

  add(entry: ChatEntry): void {
    this.#entries.push(entry);
    if (this.#index) this.#index.set(indexKey(entry), entry);
    else if (this.#entries.length > unindexedLength) {
      this.#index = new Map(this.#entries.map((each) => [indexKey(each), each]));
    }
  }

  sentSinceLastInbound(): ChatEntry[] {
    const start = this.#entries.findLastIndex(({ direction }) => direction === 'in') + 1;
    return this.#entries.slice(start).filter(({ sender }) => sender !== null);
  }
}

/** Identifies a message within its chat. */
export function indexKey({ direction, id }: ChatEntry): string {
  return `${direction} ${id}`;
}
