import { type Examples, ids, keyId } from './example.ts';

const secret = 'sk_3fQx8LmV0cNw5RtYhZ7aJb2KpUe9GsDi4WoTq6XnBvC1Zk';

const apiKey = {
  key_id: keyId,
  name: 'CRM integration',
  scope: 'team',
  team_id: ids.team,
  is_active: true,
  expires_at: '2027-11-23T00:00:00.000Z',
  last_used: '2026-11-23T09:30:00.000Z',
  created_at: '2026-11-02T08:15:00.000Z',
};

export const accessExamples: Examples = {
  createAccessToken: {
    body: { key_id: keyId, key_secret: secret },
    data: {
      access_token:
        'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJwa183SGQya1FtWjl4VzRiVDF2TmM4UiJ9.Q0d3Zk1ZcE9sVjJrN1RtWg',
      token_type: 'Bearer',
      expires_in: 86_400,
    },
  },
  createApiKey: {
    body: { name: 'CRM integration', expires_at: '2027-11-23T00:00:00Z', scope: 'team', team_id: ids.team },
    data: {
      key_id: keyId,
      key_secret: secret,
      name: 'CRM integration',
      created_at: '2026-11-02T08:15:00.000Z',
    },
  },
  listApiKeys: { data: [apiKey] },
  getApiKey: { data: apiKey },
  updateApiKey: {
    body: { name: 'CRM integration (old)', is_active: false },
    data: { ...apiKey, name: 'CRM integration (old)', is_active: false },
  },
  deleteApiKey: { data: { message: 'API key deleted' } },
};
