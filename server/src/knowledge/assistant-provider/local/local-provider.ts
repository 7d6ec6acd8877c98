import { createHash } from 'node:crypto';
import { aborted } from 'node:util';
import type { QueryExecutorProvider } from 'kysely';
import { newId } from '../../../platform/shared/ids.ts';
import type { Logger } from '../../../platform/shared/logger.ts';
import type { GuardedEmbedding } from '../../../ports/embedding/guarded-embedding.ts';
import { createSentenceEncoder, type EncodeSentence } from '../../../ports/embedding/sentence-encoder.ts';
import { ProviderError } from '../../../ports/provider-error.ts';
import { createKnowledge } from '../../search/knowledge.ts';
import type { OnRetrieval } from '../../search/retrieval-spans.ts';
import { areTagged, deleteTagged, insertTagged, listTagged } from '../../search/tagged-objects.sql.ts';
import { createTimeSlicer } from '../../search/time-slices.ts';
import type { AssistantProvider, OwnedObject, OwnerTag } from '../assistant-provider.ts';
import { answerTurn } from '../embedded/answer-turn.ts';
import type { Generation } from '../generating/generate.ts';
import { insertRevision } from './assistants.sql.ts';
import { createRevisionCache } from './revision-cache.ts';

/**
 * Creates the provider that keeps assistants and their knowledge in PostgreSQL. It answers with a language model, or without
 * one by quoting, which needs no key.
 */
export function createLocalProvider(options: {
  db: QueryExecutorProvider;
  installationId: string;
  embedding?: GuardedEmbedding | null;
  /** Null if no language model is configured. */
  generation?: Generation | null;
  /** Compares the meanings of short texts without a provider. */
  encode?: EncodeSentence;
  logger?: Pick<Logger, 'warn'>;
  /** Whether this process will answer contacts, so that it prepares a saved assistant before the first question. */
  preparesAnswers?: boolean;
  onRetrieval?: OnRetrieval;
}): AssistantProvider {
  const { db, installationId, embedding = null, generation = null } = options;
  const { logger = { warn: () => undefined }, encode = createSentenceEncoder(logger) } = options;
  const { preparesAnswers = true } = options;
  // A model reads the nearest pairs itself, so that their order matters less.
  const knowledge = createKnowledge({
    db,
    installationId,
    embedding,
    onRetrieval: options.onRetrieval,
    ...(generation === null ? { encode } : {}),
  });
  const createYieldControl = createTimeSlicer();
  // Loading is not bound to a signal, because its result serves all waiting requests.
  const getRevision = createRevisionCache({
    db,
    knowledge,
    installationId,
    yieldControl: createYieldControl(),
  });
  const newObject = (prefix: string, tag: OwnerTag) => ({
    ref: `${prefix}_${newId().replaceAll('-', '')}`,
    installationId,
    tag,
    createdAt: new Date(),
  });
  const remove = (kind: OwnedObject['kind']): AssistantProvider['deleteDocument'] =>
    abortable((ref) => deleteTagged(db, kind, installationId, ref));
  return {
    name: generation?.model.name ?? 'embedded',
    generatesText: generation !== null,
    seesImages: generation?.vision ?? false,
    documentsIn: 'database',
    putKnowledge: abortable(async (tag) => ({
      ref: await insertTagged(db, 'knowledge', newObject('vs', tag)),
    })),
    deleteKnowledge: remove('knowledge'),
    putDocument: abortable(async (tag, document, signal) => ({
      ref: await knowledge.storeDocument(newObject('file', tag), document, createYieldControl(signal)),
    })),
    documentStatus: abortable(async (ref) => {
      const state = await knowledge.documentState(ref);
      if (state === null) throw new ProviderError('not_found', `There is no document ${ref}`);
      return state;
    }),
    findSimilarDocuments: abortable((ref) => knowledge.findSimilarDocuments(ref)),
    deleteDocument: remove('document'),
    putAssistant: abortable(async (tag, ref, spec) => {
      if (ref !== null && !(await areTagged(db, 'assistant', installationId, [ref]))[0])
        throw new ProviderError('not_found', `There is no assistant ${ref}`);
      const assistantRef = ref ?? (await insertTagged(db, 'assistant', newObject('asst', tag)));
      const revision = await insertRevision(db, {
        assistantRef,
        revision: newId(),
        operation: tag.operation,
        contentHash: createHash('sha256').update(JSON.stringify(spec)).digest('base64url'),
        spec,
        createdAt: new Date(),
      });
      // The first question finds an index, and the encoder begins with the pairs. A failure is repeated with the question.
      if (preparesAnswers) await getRevision(assistantRef, revision).catch(() => undefined);
      return { ref: assistantRef, revision };
    }),
    deleteAssistant: remove('assistant'),
    step: abortable(async (turn, signal) => {
      const { assistantRef, withdrawnDocumentRefs } = turn;
      const loaded = await getRevision(assistantRef, turn.revision);
      const { documentRefs } = loaded.spec.knowledge;
      const refs = documentRefs.filter((ref) => !withdrawnDocumentRefs.includes(ref));
      const revision = { ...loaded, documents: await knowledge.findDocuments(loaded.teamId, refs) };
      const yieldControl = createYieldControl(signal);
      if (generation === null) return answerTurn(knowledge, revision, turn, yieldControl);
      const { takeStepWithModel } = await import('./take-step-with-model.ts');
      return takeStepWithModel({ knowledge, generation, yieldControl }, revision, turn, signal);
    }),
    rewrite: abortable(async (turn, signal) => {
      if (generation === null) throw new ProviderError('invalid_config', 'No language model is configured');
      const revision = await getRevision(turn.assistantRef, turn.revision);
      const { generateRewriting } = await loadGenerating();
      return generateRewriting(generation, revision, turn, signal);
    }),
    judge: abortable(async (turn, signal) => {
      if (generation === null) throw new ProviderError('invalid_config', 'No language model is configured');
      const revision = await getRevision(turn.assistantRef, turn.revision);
      const { judgeAnswer } = await import('../generating/judge-answer.ts');
      return judgeAnswer(generation, revision, turn, signal);
    }),
    checkModel: abortable(async (check, signal) => {
      if (generation === null) return [];
      const { checkModel } = await loadGenerating();
      return checkModel(generation, check, signal);
    }),
    lastingFailures: () => generation?.model.lastingFailures() ?? [],
    async *listOwned(signal) {
      for await (const object of listTagged(db, installationId)) {
        signal.throwIfAborted();
        yield object;
      }
    },
  };
}

/** Without a language model, nothing needs the packages that read its texts. */
const loadGenerating = () => import('../generating/generate.ts');

/** Makes a call reject when its signal, the last argument, aborts. Every error becomes a `ProviderError`. */
const abortable =
  <Given extends unknown[], Result>(call: (...given: [...Given, AbortSignal]) => Promise<Result>) =>
  async (...given: [...Given, AbortSignal]): Promise<Result> => {
    const signal = given.at(-1) as AbortSignal; // the last element of the tuple
    try {
      signal.throwIfAborted();
      const called = call(...given);
      const stop = aborted(signal, called).then(() => Promise.reject(signal.reason));
      return await Promise.race([called, stop]);
    } catch (error) {
      if (error instanceof ProviderError) throw error;
      const message = error instanceof Error ? error.message : String(error);
      throw new ProviderError('transient', message, { cause: error });
    }
  };
