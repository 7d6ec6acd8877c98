import { createBatch } from '../../../shared/batch.ts';
import { type AssistantSpec, ProviderError } from '../assistant-provider.ts';
import { type Db, findAssistants, findRevision } from './embedded.queries.ts';
import type { Linguistics } from './query.ts';
import { createPairIndex, type PairIndex } from './question-pairs.ts';
import type { YieldControl } from './time-slices.ts';
import { createToolIndex, type ToolIndex } from './tool-index.ts';

export interface LoadedRevision {
  spec: AssistantSpec;
  teamId: string;
  pairs: PairIndex;
  tools: ToolIndex;
  /** Characters of the indexed texts. Each takes about 100 bytes of memory. */
  characters: number;
}

export interface RevisionCache {
  /** Rejects with `not_found` if the assistant or the revision does not exist. */
  get(assistantRef: string, revision: string): Promise<LoadedRevision>;
}

interface LoadContext extends Linguistics {
  db: Db;
  installationId: string;
  yieldControl: YieldControl;
}

const MAX_REVISIONS = 100;
const MAX_CHARACTERS = 1_000_000;

/** Revisions are immutable, so a loaded one is valid as long as its assistant exists. */
export function createRevisionCache(preparing: LoadContext): RevisionCache {
  const { db, installationId } = preparing;
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
    const underWay = loading.get(key) ?? loadRevision(preparing, assistantRef, revision);
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
      let characters = 0;
      for (const { characters: own } of kept.values()) characters += own;
      for (const [oldest, { characters: own }] of kept) {
        if (oldest === key || (kept.size <= MAX_REVISIONS && characters <= MAX_CHARACTERS)) break;
        kept.delete(oldest);
        characters -= own;
      }
      return loaded;
    },
  };
}

async function loadRevision(
  { db, installationId, yieldControl, ...linguistics }: LoadContext,
  assistantRef: string,
  revision: string,
): Promise<LoadedRevision> {
  const stored = await findRevision(db, installationId, assistantRef, revision);
  if (stored === null)
    throw new ProviderError('not_found', `Assistant ${assistantRef} has no revision ${revision}`);
  return {
    ...stored,
    pairs: await createPairIndex(linguistics, stored.spec.questions, yieldControl),
    tools: createToolIndex(linguistics, stored.spec.tools),
    characters: countCharacters(stored.spec),
  };
}

function countCharacters({ questions, tools }: AssistantSpec): number {
  const texts = [
    ...questions.map(({ question }) => question),
    ...tools.flatMap(({ name, description }) => [name, description]),
  ];
  return texts.reduce((sum, text) => sum + text.length, 0);
}
