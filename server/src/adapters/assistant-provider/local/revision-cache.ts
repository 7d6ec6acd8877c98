import type { QueryExecutorProvider } from 'kysely';
import type { Knowledge, SearchableVersion } from '../../../knowledge/knowledge.ts';
import type { PairIndex } from '../../../knowledge/pairs.ts';
import type { YieldControl } from '../../../knowledge/time-slices.ts';
import { createBatch } from '../../../shared/batch.ts';
import { type AssistantSpec, type AssistantTurn, ProviderError } from '../assistant-provider.ts';
import { createToolIndex, type ToolIndex } from '../embedded/tool-index.ts';
import { findAssistants, findRevision } from './assistants.queries.ts';

export interface LoadedRevision {
  spec: AssistantSpec;
  teamId: string;
  pairs: PairIndex;
  tools: ToolIndex;
  /** Approximate memory. */
  bytes: number;
}

export interface RevisionCache {
  /** Rejects with `not_found` if the assistant or the revision does not exist. */
  get(assistantRef: string, revision: string): Promise<LoadedRevision>;
}

interface LoadContext {
  db: QueryExecutorProvider;
  knowledge: Knowledge;
  installationId: string;
  yieldControl: YieldControl;
  maxBytes?: number;
}

const maxRevisions = 100;
const defaultMaxBytes = 100_000_000;

/** Revisions are immutable, so a loaded one is valid as long as its assistant exists. */
export function createRevisionCache(context: LoadContext): RevisionCache {
  const { db, installationId, maxBytes = defaultMaxBytes } = context;
  const kept = new Map<string, LoadedRevision>();
  const loading = new Map<string, Promise<LoadedRevision>>();
  const standing = createBatch<string, boolean>({
    waitMs: 0,
    maxItems: 100,
    run: async (refs) => {
      const found = await findAssistants(db, installationId, [...new Set(refs)]);
      return refs.map((ref) => found.has(ref));
    },
  });
  /** Concurrent requests share one load, because many pairs take a while. */
  const load = (key: string, assistantRef: string, revision: string): Promise<LoadedRevision> => {
    const underWay = loading.get(key) ?? loadRevision(context, assistantRef, revision);
    loading.set(key, underWay);
    return underWay.finally(() => loading.delete(key));
  };
  return {
    async get(assistantRef, revision) {
      const key = `${assistantRef}/${revision}`;
      const known = kept.get(key);
      const loaded =
        known !== undefined && (await standing.add(assistantRef))
          ? known
          : await load(key, assistantRef, revision);
      kept.delete(key);
      kept.set(key, loaded);
      let bytes = 0;
      for (const each of kept.values()) bytes += each.bytes;
      for (const [oldest, { bytes: own }] of kept) {
        if (oldest === key || (kept.size <= maxRevisions && bytes <= maxBytes)) break;
        kept.delete(oldest);
        bytes -= own;
      }
      return loaded;
    },
  };
}

async function loadRevision(
  { db, knowledge, installationId, yieldControl }: LoadContext,
  assistantRef: string,
  revision: string,
): Promise<LoadedRevision> {
  const stored = await findRevision(db, installationId, assistantRef, revision);
  if (stored === null)
    throw new ProviderError('not_found', `Assistant ${assistantRef} has no revision ${revision}`);
  const pairs = await knowledge.indexPairs(stored.spec.questions, yieldControl);
  return {
    ...stored,
    pairs,
    tools: createToolIndex(knowledge.stemming, stored.spec.tools),
    bytes: pairs.size + 2 * JSON.stringify(stored.spec).length,
  };
}

/** Returns the knowledge of a revision without withdrawn documents. */
export async function findVersion(
  knowledge: Knowledge,
  { spec, teamId, pairs }: LoadedRevision,
  { withdrawnDocumentRefs }: Pick<AssistantTurn, 'withdrawnDocumentRefs'>,
): Promise<SearchableVersion> {
  const refs = spec.knowledge.documentRefs.filter((ref) => !withdrawnDocumentRefs.includes(ref));
  return { pairs, documents: await knowledge.findDocuments(teamId, refs) };
}
