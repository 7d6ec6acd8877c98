import type { Database } from '../../platform/database/database.ts';
import {
  holdPlaceStatement,
  type KnowledgePlace,
  storeKnowledgePlace,
} from '../../platform/database/installation.queries.ts';
import { existsProviderDeletion } from '../../records/external-deletions/external-deletions.sql.ts';
import { existsDocument } from '../documents/documents.sql.ts';
import { existsBot } from './bots.sql.ts';
import { findPlaceOfTeam, selectKnowledgeState } from './knowledge-moves.queries.ts';

interface Setting {
  ASSISTANT_PROVIDER: string;
}

/** Null if not set. */
interface OpenAISettings {
  OPENAI_HOSTED_API_KEY: string | null;
  OPENAI_HOSTED_MODEL: string | null;
}

export const configuredPlace = ({ ASSISTANT_PROVIDER: provider }: Setting): KnowledgePlace =>
  provider === 'openai-hosted' ? 'openai' : 'database';

/** Run it on a connection that lives as long as the process. No documents move away from the place meanwhile. */
export const holdKnowledgePlace = (config: Setting): string => holdPlaceStatement(configuredPlace(config));

/**
 * Returns whether documents are, or may still be, at another place than the configured one. Throws if they are at OpenAI and
 * the key for them is missing.
 */
export async function needsBothPlaces(db: Database, config: Setting & OpenAISettings): Promise<boolean> {
  const place = configuredPlace(config);
  const stored = await storeKnowledgePlace(db, place, [existsBot, existsDocument, existsProviderDeletion]);
  const { teamsLeft, objectsAtOpenai, isInDatabase } = await selectKnowledgeState(db);
  const isElsewhere = place === 'openai' ? isInDatabase : objectsAtOpenai > 0;
  if (stored === place && teamsLeft === 0 && !isElsewhere) return false;
  if (place === 'database' && !canUseOpenAI(config))
    throw new KnowledgeElsewhere(
      `ASSISTANT_PROVIDER=${config.ASSISTANT_PROVIDER} keeps documents in the database, and those of the bots are at OpenAI: set OPENAI_HOSTED_API_KEY and OPENAI_HOSTED_MODEL until all are moved, or ASSISTANT_PROVIDER=openai-hosted`,
    );
  return true;
}

const canUseOpenAI = ({
  ASSISTANT_PROVIDER: provider,
  OPENAI_HOSTED_API_KEY: key,
  OPENAI_HOSTED_MODEL: model,
}: Setting & OpenAISettings): boolean => provider === 'openai' || (key !== null && model !== null);

class KnowledgeElsewhere extends Error {
  override readonly name = 'KnowledgeElsewhere';
}

export const createPlaceFinder =
  (db: Database) =>
  (teamId: string): Promise<KnowledgePlace> =>
    findPlaceOfTeam(db, teamId);

/** For `/readyz?verbose`. Null if all documents are at the configured place. */
export async function describeKnowledgeMove(db: Database, config: Setting): Promise<object | null> {
  const place = configuredPlace(config);
  const state = await selectKnowledgeState(db);
  const objects = place === 'openai' ? 0 : state.objectsAtOpenai;
  const hasBegun = state.place === place;
  if (hasBegun && state.teamsLeft === 0 && objects === 0) return null;
  return {
    to: place,
    begun: hasBegun,
    teams: state.teams,
    teams_left: state.teamsLeft,
    objects_left_at_openai: objects,
    failure: state.failure,
  };
}
