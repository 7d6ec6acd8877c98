/** Every acknowledged write, for comparison with the final state. */
export interface Ledger {
  /** In order for each contact. */
  inbound: WrittenMessage[];
  sends: SentMessage[];
  created: CreatedObject[];
  /** Successful publishes. */
  publishes: { teamId: string; version: number; answeredAt: number }[];
}

interface WrittenMessage {
  teamId: string;
  contact: string;
  phone: string;
  text: string;
  id: string;
  /** `Date.now()` before the simulator received it. */
  writtenAt: number;
}

interface SentMessage {
  teamId: string;
  phone: string;
  to: string;
  /** Unique. */
  text: string;
  /** Null when it was refused. */
  messageId: string | null;
  /** Null unless it was refused. */
  reason: string | null;
}

interface CreatedObject {
  kind: 'bot' | 'document' | 'team' | 'device';
  id: string;
  /** Unique. */
  name: string;
  /** The deletion was acknowledged. */
  deleted: boolean;
}

export const emptyLedger = (): Ledger => ({ inbound: [], sends: [], created: [], publishes: [] });
