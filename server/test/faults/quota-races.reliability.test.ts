import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Api, ApiResponse } from '../api-client.ts';
import { startTwoApis } from './two-apis.ts';

const attempts = 50;
const acceptedCount = 7;
const app = await startTwoApis();

interface Subject {
  teamId: string;
  botId: string;
}

/** A request that uses `cost` units of a quota. */
interface QuotaRequest {
  quota: string;
  cost: number;
  send(api: Api, subject: Subject): Promise<ApiResponse>;
}

const upload = (api: Api, { teamId }: Subject): Promise<ApiResponse> => {
  const body = new FormData();
  body.append('team_id', teamId);
  body.append('file', new Blob(['ten chars!']), 'rental.txt');
  return api('POST', '/documents', { body });
};

const requests: readonly QuotaRequest[] = [
  {
    quota: 'bots',
    cost: 1,
    send: (api, { teamId }) => api('POST', '/bots', { body: { team_id: teamId, name: 'Desk' } }),
  },
  {
    quota: 'accounts',
    cost: 1,
    send: (api, { teamId, botId }) =>
      api('POST', '/devices', { body: { team_id: teamId, bot_id: botId, name: 'Desk' } }),
  },
  { quota: 'documents', cost: 1, send: upload },
  { quota: 'characters', cost: 10, send: upload },
  {
    quota: 'credits',
    cost: 1,
    send: (api, { botId }) => api('POST', `/bots/${botId}/ask`, { body: { question: 'Do you open?' } }),
  },
];

/** Creates a team with a published bot, which counts against the bot quota. */
async function addSubject(quota: string, limit: number): Promise<Subject> {
  const created = await app.api('POST', '/teams', {
    body: {
      user: { name: 'Ada', email: 'ada@example.com' },
      team: { name: 'Harbour', plan_name: 'enterprise', quotas: { [quota]: limit } },
    },
  });
  const teamId = created.body.data.team.id;
  const questions = [{ question: 'Do you open?', answer: 'At nine.' }];
  const bot = await app.api('POST', '/bots', { body: { team_id: teamId, name: 'First', questions } });
  const botId = bot.body.data.id;
  assert.equal((await app.api('POST', `/bots/${botId}/publish`)).status, 200);
  return { teamId, botId };
}

for (const { quota, cost, send } of requests) {
  test(`accepts exactly the quota of ${quota} from ${attempts} concurrent requests over two APIs`, async () => {
    const before = quota === 'bots' ? 1 : 0;
    const limit = before + acceptedCount * cost;
    const subject = await addSubject(quota, limit);
    const answers = await Promise.all(Array.from({ length: attempts }, (_, n) => send(app.nth(n), subject)));
    const refused = answers.filter(({ status }) => status !== 200);
    assert.equal(attempts - refused.length, acceptedCount);
    for (const { status, body } of refused) {
      assert.deepEqual(
        [status, body.details],
        [400, { reason: 'quota_exceeded', quota, used: limit, limit, needed: cost }],
      );
    }
    const { body } = await app.nth(1)('GET', `/teams/${subject.teamId}/usage`);
    assert.equal(body.data.quotas[quota].used, limit, JSON.stringify(body.data));
  });
}

test('creates exactly 50 webhooks of a team from 70 concurrent requests over two APIs', async () => {
  const [{ teamId }, other] = [await addSubject('bots', 9), await addSubject('bots', 9)];
  const create = (n: number, ofTeam = teamId) =>
    app.nth(n)('POST', '/webhooks', {
      body: { team_id: ofTeam, url: 'https://hooks.example.com/', events: ['bot.published'] },
    });
  const [answers, ofOther] = await Promise.all([
    Promise.all(Array.from({ length: 70 }, (_, n) => create(n))),
    create(0, other.teamId),
  ]);
  const refused = answers.filter(({ status }) => status !== 200);
  assert.equal(refused.length, 20);
  for (const { status, body } of refused)
    assert.deepEqual([status, body.details.reason], [400, 'too_many_webhooks']);
  assert.equal(ofOther.status, 200);
  const { body } = await app.nth(1)('GET', `/webhooks?team_id=${teamId}`);
  assert.equal(body.meta.total, 50);
});
