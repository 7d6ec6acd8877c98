import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { addTeam } from '../../../test/bots.ts';
import { startTestApp } from '../../../test/harness.ts';
import { activityRoutes } from './activity.routes.ts';

const { api, issueKey, context } = await startTestApp({ routes: ({ db }) => [activityRoutes({ db })] });

/** Adds a message that is so many hours old, at the same minute of its hour. */
const addMessage = (teamId: string, origin: string, hoursAgo: number) =>
  sql`
    insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status, created_at)
    values (gen_random_uuid(), ${teamId}, gen_random_uuid(), '+15550199', ${origin === 'contact' ? 'in' : 'out'}, ${origin},
            'text', 'Hello', gen_random_uuid()::text, ${origin === 'contact' ? 'answered' : 'sent'},
            now() - make_interval(hours => ${hoursAgo}))`.execute(context.db);

test('counts the messages of each of the last 24 hours by who wrote them, for keys that see the team', async () => {
  const [team, other] = [await addTeam(context), await addTeam(context)];
  for (const hoursAgo of [1, 1, 23, 24]) await addMessage(team, 'contact', hoursAgo);
  for (const origin of ['bot', 'api', 'person']) await addMessage(team, origin, 1);
  await addMessage(other, 'bot', 1);
  const count = async (hours: string, teamId?: string) => {
    const key = teamId === undefined ? {} : { token: (await issueKey({ teamId })).token };
    const { body } = await api('GET', `/activity${hours}`, key);
    const counts: { received: number; answers: number; others: number }[] = body.data.hours;
    return counts.map(({ received, answers, others }) => [received, answers, others]);
  };
  const hours = await count('', team);
  assert.equal(hours.length, 24);
  assert.deepEqual(
    [hours[0], hours[21], hours[22], hours[23]],
    [
      [1, 0, 0],
      [0, 0, 0],
      [2, 1, 2],
      [0, 0, 0],
    ],
  );
  assert.deepEqual(await count('?hours=2', team), hours.slice(-2));
  assert.deepEqual((await count('', other))[22], [0, 1, 0]);
  assert.deepEqual((await count(''))[22], [2, 2, 2]);
});
