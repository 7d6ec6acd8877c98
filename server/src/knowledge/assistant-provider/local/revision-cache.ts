import type { QueryExecutorProvider } from 'kysely';
import { createLoader } from '../../../platform/database/loader.ts';
import { createBoundedMap } from '../../../platform/shared/bounded-map.ts';
import { ProviderError } from '../../../ports/provider-error.ts';
import type { Knowledge, SearchableVersion } from '../../search/knowledge.ts';
import type { PairIndex } from '../../search/pairs.ts';
import { areTagged } from '../../search/tagged-objects.sql.ts';
import type { YieldControl } from '../../search/time-slices.ts';
import type { AssistantSpec } from '../assistant-provider.ts';
import { findRevision } from './assistants.sql.ts';

export interface LoadedRevision {
  spec: AssistantSpec;
  teamId: string;
  pairs: PairIndex;
}

const maxRevisions = 100;
const defaultMaxBytes = 100_000_000;

/**
 * Revisions are immutable, so a loaded one is valid as long as its assistant exists. The returned function rejects with
 * `not_found` if the assistant or the revision does not exist.
 */
export function createRevisionCache({
  db,
  knowledge,
  installationId,
  yieldControl,
  maxBytes = defaultMaxBytes,
}: {
  db: QueryExecutorProvider;
  knowledge: Knowledge;
  installationId: string;
  yieldControl: YieldControl;
  maxBytes?: number;
}) {
  // Concurrent requests share one load, because many pairs take a while.
  const loading = new Map<string, Promise<LoadedRevision>>();
  const loaded = createBoundedMap<string, LoadedRevision>(maxRevisions, { sizeOf: toBytes, max: maxBytes });
  const exists = createLoader((refs: readonly string[]) => areTagged(db, 'assistant', installationId, refs));
  const load = async (assistantRef: string, revision: string): Promise<LoadedRevision> => {
    const stored = await findRevision(db, installationId, assistantRef, revision);
    if (stored === null)
      throw new ProviderError('not_found', `Assistant ${assistantRef} has no revision ${revision}`);
    return { ...stored, pairs: await knowledge.indexPairs(stored.spec.questions, yieldControl) };
  };
  return async (assistantRef: string, revision: string): Promise<LoadedRevision> => {
    const key = `${assistantRef}/${revision}`;
    const known = loaded.get(key);
    if (known !== undefined && (await exists(assistantRef))) return known;
    const underWay = loading.get(key) ?? load(assistantRef, revision);
    loading.set(key, underWay);
    const found = await underWay.finally(() => loading.delete(key));
    loaded.set(key, found);
    return found;
  };
}

/** Approximate memory. */
const toBytes = ({ pairs, spec }: LoadedRevision): number => pairs.size + 2 * JSON.stringify(spec).length;

/** A revision with its documents, without withdrawn ones. */
export type SearchableRevision = LoadedRevision & SearchableVersion;
