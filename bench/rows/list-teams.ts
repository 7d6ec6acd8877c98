import { compareLists } from '../rig/compare-lists.ts';
import { createDatabase, seedTeams, serveSeeded } from '../rig/list-database.ts';
import type { Figure, FigureRow } from './row.ts';

const base = '/api/openapi/v1/teams';

/** A query of a list of `teams`, the number of matches, and the allowed ratio of large to small. */
const queries: readonly {
  query: string;
  paths: (teams: number) => readonly string[];
  total: (teams: number) => number;
  atMost?: number;
}[] = [
  { query: 'unfiltered', paths: firstPages(''), total: (teams) => teams, atMost: 3 },
  { query: 'paying', paths: firstPages('&paying=true'), total: (teams) => teams - nth(teams, 3), atMost: 3 },
  { query: 'a name part of 1 in 1,000 teams', paths: namePart('zeppelin'), total: everyNth(1000), atMost: 3 },
  { query: 'a name part of 1 in 10 teams', paths: namePart('bicycles'), total: everyNth(10), atMost: 150 },
  { query: 'the last page', paths: (teams) => [page(teams / 20, '')], total: (teams) => teams, atMost: 300 },
  { query: 'the page in the middle', paths: (teams) => [page(teams / 40, '')], total: (teams) => teams },
  { query: 'a name part of two letters', paths: namePart('ze'), total: everyNth(1000) },
];

function nth(teams: number, n: number): number {
  return Math.floor(teams / n);
}
function everyNth(n: number) {
  return (teams: number) => nth(teams, n);
}
function page(number: number, filter: string): string {
  return `${base}?page=${number}&limit=20${filter}`;
}
function firstPages(filter: string) {
  return () => [1, 2, 3, 4, 5].map((number) => page(number, filter));
}
function namePart(part: string) {
  return () => [page(1, `&name=${part}`)];
}

export const listTeams: FigureRow = {
  name: 'list-teams',
  work: 'GET /teams, p99 over many teams relative to 1,000',
  async measure(rig) {
    const isQuick = rig.effort.warmUpSeconds === 0;
    const sizes = { small: 1000, large: isQuick ? 20_000 : 1_000_000 };
    await using ends = new AsyncDisposableStack();
    const serve = async (teams: number) => {
      const databaseUrl = await createDatabase(rig, `lists_${teams}`);
      const server = await serveSeeded(rig, databaseUrl, `lists-${teams}`, (client) =>
        seedTeams(client, teams),
      );
      ends.defer(() => server.stop());
      return server;
    };
    const [small, large] = [await serve(sizes.small), await serve(sizes.large)];
    const figures: Figure[] = [];
    for (const { query, paths, total, atMost } of queries) {
      const createTarget = (server: typeof small, teams: number) => ({
        server,
        paths: paths(teams),
        total: total(teams),
      });
      const { ratio, smallMs, largeMs } = await compareLists(
        rig,
        createTarget(small, sizes.small),
        createTarget(large, sizes.large),
      );
      figures.push({
        figure: `${query}: ${smallMs.toFixed(1)} ms for ${sizes.small}, ${largeMs.toFixed(1)} ms for ${sizes.large}`,
        value: ratio,
        unit: 'x',
        ...(atMost === undefined ? {} : { goal: { atMost } }),
      });
    }
    return figures;
  },
};
