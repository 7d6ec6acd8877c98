import type { FloorRow } from './row.ts';

export const createToken: FloorRow = {
  name: 'create-token',
  operation: 'POST /auth/token',
  floor: 'create-token.ts',
  request: ({ key }) => ({
    method: 'POST',
    paths: ['/api/openapi/auth/token'],
    headers: { 'content-type': 'application/json' },
    bodies: [JSON.stringify({ key_id: key.id, key_secret: key.secret })],
  }),
  goal: { ratio: 0.6 },
};
