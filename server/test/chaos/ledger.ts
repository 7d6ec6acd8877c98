/** What the outside was told for certain, to be held against what is there in the end. */
export interface Ledger {
  /** In the order in which each contact wrote them. */
  inbound: WrittenMessage[];
  sends: SentMessage[];
  made: MadeObject[];
  /** Successful publishes, by what they published. */
  publishes: { teamId: string; edition: number; answeredAt: number }[];
}

interface WrittenMessage {
  teamId: string;
  contact: string;
  phone: string;
  text: string;
  id: string;
  /** Before it was given to the network; as in `Date.now()`. */
  writtenAt: number;
}

interface SentMessage {
  teamId: string;
  phone: string;
  to: string;
  /** No two are alike. */
  text: string;
  /** Null when it was refused. */
  messageId: string | null;
  /** Of a refusal. */
  reason: string | null;
}

interface MadeObject {
  kind: 'bot' | 'document' | 'team' | 'device';
  id: string;
  /** No two are alike. */
  name: string;
  /** That it is gone was answered, too. */
  deleted: boolean;
}

export const emptyLedger = (): Ledger => ({ inbound: [], sends: [], made: [], publishes: [] });
