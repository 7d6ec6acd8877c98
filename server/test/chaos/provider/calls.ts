import type {
  AssistantSpec,
  AssistantStep,
  AssistantTurn,
  OwnerTag,
} from '../../../src/adapters/assistant-provider/assistant-provider.ts';

/** What crosses the wire to the fake provider: for each call, what it takes and what it gives. */
export interface Calls {
  putKnowledge: { takes: { tag: OwnerTag }; gives: { ref: string } };
  deleteKnowledge: { takes: { ref: string }; gives: object };
  /** `digest` stands for the document's content. */
  putDocument: { takes: { tag: OwnerTag; digest: string }; gives: { ref: string } };
  documentStatus: { takes: { ref: string }; gives: { status: 'ready' } };
  deleteDocument: { takes: { ref: string }; gives: object };
  putAssistant: {
    takes: { tag: OwnerTag; ref: string | null; spec: AssistantSpec };
    gives: { ref: string; revision: string };
  };
  deleteAssistant: { takes: { ref: string }; gives: object };
  step: { takes: AssistantTurn; gives: AssistantStep };
  listOwned: { takes: object; gives: { objects: ListedObject[] } };
}

export type CallName = keyof Calls;

export const callNames = [
  'putKnowledge',
  'deleteKnowledge',
  'putDocument',
  'documentStatus',
  'deleteDocument',
  'putAssistant',
  'deleteAssistant',
  'step',
  'listOwned',
] as const satisfies readonly CallName[];

export interface ListedObject {
  kind: 'assistant' | 'knowledge' | 'document';
  ref: string;
  tag: OwnerTag;
  /** ISO timestamp. */
  createdAt: string;
}

/** How a call goes wrong. */
export const providerFaultKinds = ['rate_limited', 'fails', 'hangs', 'loses_reply', 'slow'] as const;

/** The next `count` calls of that name go wrong; `ms` is how long one hangs or is slow. */
export interface OrderedFault {
  call: CallName;
  mischief: (typeof providerFaultKinds)[number];
  count: number;
  ms: number;
}
