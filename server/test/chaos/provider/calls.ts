import type {
  AssistantSpec,
  AssistantStep,
  AssistantTurn,
  OwnerTag,
} from '../../../src/knowledge/assistant-provider/assistant-provider.ts';

/** The requests and responses of the fake provider. */
export interface Calls {
  putKnowledge: { request: { tag: OwnerTag }; response: { ref: string } };
  deleteKnowledge: { request: { ref: string }; response: object };
  /** `digest` stands for the document's content. */
  putDocument: { request: { tag: OwnerTag; digest: string }; response: { ref: string } };
  documentStatus: { request: { ref: string }; response: { status: 'ready' } };
  deleteDocument: { request: { ref: string }; response: object };
  putAssistant: {
    request: { tag: OwnerTag; ref: string | null; spec: AssistantSpec };
    response: { ref: string; revision: string };
  };
  deleteAssistant: { request: { ref: string }; response: object };
  step: { request: AssistantTurn; response: AssistantStep };
  listOwned: { request: object; response: { objects: ListedObject[] } };
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

export const providerFaultKinds = ['rate_limited', 'fails', 'hangs', 'loses_reply', 'slow'] as const;

/** Applies to the next `count` calls of that name; `ms` is the delay of `hangs` and `slow`. */
export interface ProviderFault {
  call: CallName;
  effect: (typeof providerFaultKinds)[number];
  count: number;
  ms: number;
}
