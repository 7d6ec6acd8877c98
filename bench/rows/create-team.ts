import type { FloorRow } from './row.ts';

export const createTeam: FloorRow = {
  name: 'create-team',
  operation: 'POST /teams',
  floor: 'create-team.ts',
  request: ({ token }) => ({
    method: 'POST',
    paths: ['/api/openapi/v1/teams'],
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    bodies: [
      JSON.stringify({
        user: { name: 'Ada Jensen', email: 'ada@example.com', phone: '+15550100' },
        team: { name: 'Harbour bicycles', plan_name: 'pro', quotas: { bots: 5 } },
      }),
    ],
  }),
  goal: { ratio: 0.85, cpuRatio: 1.4, statements: 2 },
};
