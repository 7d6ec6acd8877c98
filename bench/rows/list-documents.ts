import { compareLists } from '../rig/compare-lists.ts';
import { createDatabase, seedDocuments, serveSeeded } from '../rig/list-database.ts';
import type { FigureRow } from './row.ts';

/** Both teams are in one database: many documents of one team cost time, not many documents in all. */
export const listDocuments: FigureRow = {
  name: 'list-documents',
  work: 'GET /documents?team_id=…, p99 of a team with many documents relative to 1,000',
  async measure(rig) {
    const sizes = { small: 1000, large: rig.effort.warmUpSeconds === 0 ? 10_000 : 100_000 };
    const teams = { small: '', large: '' };
    const databaseUrl = await createDatabase(rig, 'lists_of_documents');
    const server = await serveSeeded(rig, databaseUrl, 'lists-of-documents', async (client) => {
      teams.small = await seedDocuments(client, sizes.small);
      teams.large = await seedDocuments(client, sizes.large);
    });
    const list = (size: 'small' | 'large') => ({
      server,
      paths: [1, 2, 3, 4, 5].map((page) => `/api/openapi/v1/documents?team_id=${teams[size]}&page=${page}`),
      total: sizes[size],
    });
    try {
      const { ratio, smallMs, largeMs } = await compareLists(rig, list('small'), list('large'));
      const figure = `${smallMs.toFixed(1)} ms of ${sizes.small}, ${largeMs.toFixed(1)} ms of ${sizes.large}`;
      return [{ figure, value: ratio, unit: 'x', goal: { atMost: 3 } }];
    } finally {
      await server.stop();
    }
  },
};
