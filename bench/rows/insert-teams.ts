import type pg from 'pg';
import { createDatabase, serveSeeded } from '../rig/list-database.ts';
import { runLoad } from '../rig/load.ts';
import { defaultConnections } from '../rig/measure.ts';
import { median } from '../rig/median.ts';
import type { ParleyProcess } from '../rig/parley-process.ts';
import type { Rig } from '../rig/rig.ts';
import type { FigureRow } from './row.ts';

const withoutCounters = 'drop trigger teams_count_added on teams';
const withoutIndexes = 'drop index teams_name_parts; drop index teams_paying_newest';

/** Compares inserts with and without the counters and indexes that make lists fast. */
export const insertTeams: FigureRow = {
  name: 'insert-teams',
  work: 'POST /teams, requests per second relative to a schema without counters and list indexes',
  async measure(rig) {
    await using ends = new AsyncDisposableStack();
    const serve = async (name: string, reduce: string) => {
      const databaseUrl = await createDatabase(rig, name);
      const server = await serveSeeded(rig, databaseUrl, name, (client: pg.Client) => client.query(reduce));
      ends.defer(() => server.stop());
      return server;
    };
    const complete = await serve('inserts_counted', '');
    const uncounted = await serve('inserts_uncounted', withoutCounters);
    const bare = await serve('inserts_bare', `${withoutCounters}; ${withoutIndexes}`);
    const { pairs, secondsEach, warmUpSeconds } = rig.effort;
    for (const server of warmUpSeconds > 0 ? [complete, uncounted, bare] : []) {
      await createdPerSecond(rig, server, warmUpSeconds);
    }
    const ratios: { uncounted: number; bare: number }[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      const created = await createdPerSecond(rig, complete, secondsEach);
      ratios.push({
        uncounted: created / (await createdPerSecond(rig, uncounted, secondsEach)),
        bare: created / (await createdPerSecond(rig, bare, secondsEach)),
      });
    }
    return [
      {
        figure: 'relative to no counters',
        value: median(ratios.map((ratio) => ratio.uncounted)),
        unit: 'x',
        goal: { atLeast: 0.85 },
      },
      {
        figure: 'relative to no counters, no trigram index and no index by payment',
        value: median(ratios.map((ratio) => ratio.bare)),
        unit: 'x',
      },
    ];
  },
};

async function createdPerSecond(
  { generator }: Pick<Rig, 'generator'>,
  { url, token }: ParleyProcess,
  seconds: number,
): Promise<number> {
  const bodies = ['Harbour bicycles', 'Old town bakery', 'River dental care'].map((name) =>
    JSON.stringify({ user: { name: 'Ada Jensen', email: 'ada@example.com' }, team: { name } }),
  );
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const paths = ['/api/openapi/v1/teams'];
  const load = {
    method: 'POST',
    url,
    paths,
    headers,
    bodies,
    connections: defaultConnections,
    seconds,
  } as const;
  const result = await runLoad(generator, load);
  return result.requests / result.seconds;
}
