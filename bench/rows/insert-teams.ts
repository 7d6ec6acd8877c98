import pg from 'pg';
import { createDatabase } from '../rig/list-database.ts';
import { median } from '../rig/median.ts';
import type { Figure, FigureRow } from './row.ts';

/** What keeps a list short to read, and is paid for with every insert. */
const withoutCounters = `
  drop trigger teams_count_added on teams`;
const withoutBoth = `${withoutCounters}; drop index teams_name_parts; drop index teams_paying_newest`;

const connections = 16;

/** Bare inserts, which show the cost of counting best: nothing else is in their time. */
export const insertTeams: FigureRow = {
  name: 'insert-teams',
  work: 'teams inserted a second, of the rate without what keeps lists short',
  async measure(rig) {
    await using ends = new AsyncDisposableStack();
    const inserter = async (name: string, reduce: string) => {
      const databaseUrl = await createDatabase(rig, name);
      const clients = Array.from(
        { length: connections },
        () => new pg.Client({ connectionString: databaseUrl }),
      );
      for (const client of clients) {
        await client.connect();
        ends.defer(() => client.end());
      }
      await clients[0]?.query(reduce);
      return (seconds: number) => insertFor(clients, seconds);
    };
    const whole = await inserter('inserts_counted', '');
    const uncounted = await inserter('inserts_uncounted', withoutCounters);
    const bare = await inserter('inserts_bare', withoutBoth);
    const { pairs, secondsEach, warmUpSeconds } = rig.effort;
    for (const insert of warmUpSeconds > 0 ? [whole, uncounted, bare] : []) await insert(warmUpSeconds);
    const ratios: { ofUncounted: number; ofBare: number }[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      const [all, none, neither] = [
        await whole(secondsEach),
        await uncounted(secondsEach),
        await bare(secondsEach),
      ];
      ratios.push({ ofUncounted: all / none, ofBare: all / neither });
    }
    return figuresOf(ratios);
  },
};

function figuresOf(ratios: readonly { ofUncounted: number; ofBare: number }[]): Figure[] {
  return [
    {
      figure: 'without counters',
      value: median(ratios.map(({ ofUncounted }) => ofUncounted)),
      unit: 'x',
      goal: { atLeast: 0.85 },
    },
    {
      figure: 'without counters, trigrams and the index by payment',
      value: median(ratios.map(({ ofBare }) => ofBare)),
      unit: 'x',
    },
  ];
}

/** Inserts on every client, one team after the other. Answers the teams a second. */
async function insertFor(clients: readonly pg.Client[], seconds: number): Promise<number> {
  const started = performance.now();
  const until = started + seconds * 1000;
  let inserted = 0;
  const insertOn = async (client: pg.Client) => {
    while (performance.now() < until) {
      inserted += 1;
      await client.query({
        name: 'team',
        text: `insert into teams (id, name, plan_name, paying) values (gen_random_uuid(), $1, 'pro', true)`,
        values: [`Harbour bicycles ${inserted.toString(36)}`],
      });
    }
  };
  await Promise.all(clients.map(insertOn));
  return (inserted * 1000) / (performance.now() - started);
}
