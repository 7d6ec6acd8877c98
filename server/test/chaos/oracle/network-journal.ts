import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fact } from '../../../../simulator/src/network-state.ts';

/** A text that a linked device delivered to the network. */
export interface DeliveredCopy {
  id: string;
  from: string;
  to: string;
  text: string;
  session: string;
  /** Milliseconds since the epoch. */
  at: number;
}

/** The simulator's journal, in order. */
export interface NetworkJournal {
  deliveries: DeliveredCopy[];
  /** When each session came up. */
  upAt: Map<string, number>;
  /** Deliveries by a session after a newer one of its device was up. */
  afterReplacement: DeliveredCopy[];
}

export async function readNetworkJournal(folder: string): Promise<NetworkJournal> {
  const lines = (await readFile(join(folder, 'journal.jsonl'), 'utf8')).split('\n');
  const journal: NetworkJournal = { deliveries: [], upAt: new Map(), afterReplacement: [] };
  const newest = new Map<string, string>();
  // An incomplete last line was never acknowledged.
  for (const line of lines.slice(0, -1)) {
    const fact = JSON.parse(line) as Fact;
    if (fact.type === 'session' && fact.state === 'up') {
      journal.upAt.set(fact.session, Date.parse(fact.at));
      newest.set(fact.credential, fact.session);
    }
    if (fact.type !== 'message' || fact.sender === null || fact.content.kind !== 'text') continue;
    const { id, from, to, sender, session = '', content, at } = fact;
    const delivery = { id, from, to, text: content.text, session, at: Date.parse(at) };
    journal.deliveries.push(delivery);
    if (newest.get(sender) !== session) journal.afterReplacement.push(delivery);
  }
  return journal;
}
