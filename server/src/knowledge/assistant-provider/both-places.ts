import type { QueryExecutorProvider } from 'kysely';
import type { KnowledgePlace } from '../../platform/database/installation.queries.ts';
import { createBoundedMap } from '../../platform/shared/bounded-map.ts';
import { ProviderError } from '../../ports/provider-error.ts';
import { areTagged } from '../search/tagged-objects.sql.ts';
import type { AssistantProvider } from './assistant-provider.ts';
import { findRevision } from './local/assistants.sql.ts';

/** Null while no documents move. */
export type KnowledgePlaces = Readonly<Record<KnowledgePlace, AssistantProvider>>;

const maxRevisions = 10_000;

/**
 * Uses two providers while a job moves documents between the database and OpenAI. New objects go to the place of their team.
 * Calls for an existing object go to the place that has it, so bots answer by their old provider until they are moved.
 */
export function createProviderOfBothPlaces({
  db,
  installationId,
  places,
  target,
  findPlace,
}: {
  db: QueryExecutorProvider;
  installationId: string;
  places: KnowledgePlaces;
  /** The configured provider. */
  target: AssistantProvider;
  findPlace(teamId: string): Promise<KnowledgePlace>;
}): AssistantProvider {
  const having = async (kind: 'document' | 'knowledge', ref: string): Promise<AssistantProvider> => {
    const [isInDatabase] = await areTagged(db, kind, installationId, [ref]);
    return places[isInDatabase === true ? 'database' : 'openai'];
  };
  const revisions = createBoundedMap<string, AssistantProvider>(maxRevisions);
  const answering = async (turn: { assistantRef: string; revision: string }): Promise<AssistantProvider> => {
    const known = revisions.get(turn.revision);
    if (known !== undefined) return known;
    const stored = await findRevision(db, installationId, turn.assistantRef, turn.revision);
    if (stored === null)
      throw new ProviderError('not_found', `Assistant ${turn.assistantRef} has no revision ${turn.revision}`);
    const provider = await having('knowledge', stored.spec.knowledge.storeRef);
    revisions.set(turn.revision, provider);
    return provider;
  };
  return {
    ...target,
    putKnowledge: async (tag, signal) => places[await findPlace(tag.teamId)].putKnowledge(tag, signal),
    putDocument: async (tag, document, signal) =>
      places[await findPlace(tag.teamId)].putDocument(tag, document, signal),
    deleteKnowledge: async (ref, signal) => (await having('knowledge', ref)).deleteKnowledge(ref, signal),
    documentStatus: async (ref, signal) => (await having('document', ref)).documentStatus(ref, signal),
    deleteDocument: async (ref, signal) => (await having('document', ref)).deleteDocument(ref, signal),
    putAssistant: async (tag, ref, spec, signal) =>
      (await having('knowledge', spec.knowledge.storeRef)).putAssistant(tag, ref, spec, signal),
    step: async (turn, signal) => (await answering(turn)).step(turn, signal),
    judge: async (turn, signal) => (await answering(turn)).judge(turn, signal),
    rewrite: async (turn, signal) => (await answering(turn)).rewrite(turn, signal),
    async *listOwned(signal) {
      yield* places.database.listOwned(signal);
      // Both list the assistants, which are always in the database.
      for await (const object of places.openai.listOwned(signal))
        if (object.kind !== 'assistant') yield object;
    },
    lastingFailures: () => [
      ...new Set([...places.database.lastingFailures(), ...places.openai.lastingFailures()]),
    ],
  };
}
