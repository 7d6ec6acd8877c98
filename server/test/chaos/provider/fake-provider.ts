import { ProviderError } from '../../../src/ports/provider-error.ts';
import type { CallName, Calls, ListedObject } from './calls.ts';
import { createRef, type ProviderFact, type ProviderState, parseVersion } from './provider-state.ts';

type Handlers = {
  [Name in CallName]: (request: Calls[Name]['request']) => Promise<Calls[Name]['response']>;
};

/** Every call is on disk before it returns. */
export function createFakeProvider(
  state: ProviderState,
  record: (fact: ProviderFact) => Promise<void>,
): Handlers {
  const create = async (kind: ListedObject['kind'], ref: string, tag: ListedObject['tag']) => {
    await record({ type: 'made', at: now(), kind, ref, tag });
    return { ref };
  };
  const remove = async ({ ref }: { ref: string }) => {
    if (state.has(ref)) await record({ type: 'removed', at: now(), ref });
    return {};
  };
  return {
    putKnowledge: ({ tag }) => create('knowledge', createRef('knowledge', tag.objectId, tag.operation), tag),
    deleteKnowledge: remove,
    putDocument: ({ tag, digest }) =>
      create('document', createRef('document', tag.objectId, tag.operation, digest), tag),
    documentStatus: async () => ({ status: 'ready' }),
    deleteDocument: remove,
    async putAssistant({ tag, ref: given, spec }) {
      const ref = given ?? createRef('assistant', tag.objectId, tag.operation);
      if (given === null) await create('assistant', ref, tag);
      else if (!state.has(ref)) throw new ProviderError('not_found', `there is no ${ref}`);
      const revision = createRef('assistant', ref, tag.operation, JSON.stringify(spec));
      const tool = spec.tools[0]?.name ?? null;
      await record({ type: 'revised', at: now(), ref, revision, version: parseVersion(spec), tool });
      return { ref, revision };
    },
    deleteAssistant: remove,
    async step(turn) {
      const { step, questions } = state.createStep(turn);
      if (step.kind === 'answer')
        await record({ type: 'answered', at: now(), revision: turn.revision, questions });
      return step;
    },
    listOwned: async () => ({ objects: state.listObjects() }),
  };
}

const now = (): string => new Date().toISOString();
