import type { KnowledgePlace } from '../../platform/database/installation.queries.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { takeStart } from '../../platform/shared/cut-text.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { forEachConcurrently } from '../../platform/shared/semaphore.ts';
import type { KnowledgePlaces } from '../assistant-provider/both-places.ts';
import {
  deleteEndedMoves,
  type KnowledgeMove,
  selectNextMoves,
  storeFailure,
  turnTowards,
} from './knowledge-moves.queries.ts';
import { type MoveDependencies, moveTeam } from './move-knowledge.ts';

const teamsABatch = 100;
const concurrency = 4;
const noTeam = '00000000-0000-0000-0000-000000000000';

/**
 * Moves the documents and knowledge stores of all teams to the configured place. A repeated run continues where the last one
 * ended. A team that cannot be moved is tried again in the next run.
 */
export const moveKnowledgeJob = (
  deps: Omit<MoveDependencies, 'target'> & {
    places: KnowledgePlaces;
    place: KnowledgePlace;
    logger: Pick<Logger, 'info' | 'warn'>;
  },
): Job => ({
  name: 'move-knowledge',
  schedule: '* * * * *',
  maxAttempts: 2,
  oneAtATime: true,
  async run(_payload, signal) {
    const { db, logger, place, places } = deps;
    if (!(await db.transaction().execute((tx) => turnTowards(tx, place)))) {
      logger.warn({ place }, 'documents move when no process with the earlier ASSISTANT_PROVIDER runs');
      return;
    }
    await deleteEndedMoves(db);
    for (let after = noTeam; ; ) {
      const moves = await selectNextMoves(db, after, teamsABatch);
      const last = moves.at(-1);
      if (last === undefined || signal.aborted) return;
      await forEachConcurrently(moves, concurrency, (move) =>
        moveOne({ ...deps, target: places[place] }, move, signal),
      );
      logger.info({ place, teams: moves.length }, 'moved documents of teams');
      after = last.teamId;
    }
  },
});

const longestFailure = 500;

async function moveOne(
  deps: MoveDependencies & { logger: Pick<Logger, 'warn'> },
  move: KnowledgeMove,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  try {
    await moveTeam(deps, move, signal);
  } catch (error) {
    if (signal.aborted) return;
    deps.logger.warn({ err: error, teamId: move.teamId }, 'the documents of the team could not be moved');
    await storeFailure(deps.db, move, takeStart(String(error).toWellFormed(), longestFailure));
  }
}
