import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { addBot, addDocument, addTeam, failing, startBotsApp } from '../../../test/bots.ts';
import { waitForLockWaiter } from '../../../test/lock-waits.ts';
import { promptly } from '../../../test/promptly.ts';
import { deleteTeam } from '../../lifecycle/team-deletion/delete-team.ts';
import { newId } from '../../platform/shared/ids.ts';
import { reconcileBotsJob } from './bots.jobs.ts';
import { deleteStaleIntents } from './create-bot.queries.ts';

const app = await startBotsApp();
const { api, context, provider } = app;
const { db } = context;

const teamId = await addTeam(context, { bots: 1000 });
const otherTeamId = await addTeam(context);

const botsUsed = async (team: string) =>
  (await db.selectFrom('team_usage').select('bots').where('team_id', '=', team).executeTakeFirstOrThrow())
    .bots;
const rowsOf = (team: string) =>
  db.selectFrom('bots').select(['id', 'state']).where('team_id', '=', team).execute();
const scheduledDeletions = async (team: string) =>
  (await db.selectFrom('tombstones').select(['kind', 'ref']).where('team_id', '=', team).execute()).map(
    ({ kind, ref }) => `${kind} ${ref}`,
  );
const pathsOf = (body: { details?: { issues: { path: string }[] } }) =>
  body.details?.issues.map(({ path }) => path);

describe('create', () => {
  test('creates a bot with an assistant, a knowledge store and the defaults', async () => {
    const { status, body } = await api('POST', '/bots', { body: { team_id: teamId, name: 'Desk' } });
    assert.equal(status, 200);
    const { id, ai_provider_id, vector_id, created_at, updated_at, ...rest } = body.data;
    for (const made of [id, ai_provider_id, vector_id, created_at, updated_at]) assert.ok(made);
    assert.deepEqual(rest, {
      team_id: teamId,
      name: 'Desk',
      role: 'assistant',
      description: '',
      instructions: '',
      temperature: 0.7,
      published: false,
      live_version: null,
      allow_human: false,
      identification_name: '',
      use_audio_responses: false,
      allow_user_audio_requests: false,
      capture_payments: false,
      break_lines: false,
      chat_model_level: 1,
    });
    const detail = (await api('GET', `/bots/${id}`)).body.data;
    assert.deepEqual(detail, { ...body.data, questions: [], actions: [], documents: [] });
  });

  test('accepts every field of an update', async () => {
    const document = await addDocument(context, teamId);
    const members = {
      role: 'seller',
      description: 'd',
      instructions: 'i',
      temperature: 0,
      identification_name: 'Ada',
      allow_human: true,
      use_audio_responses: true,
      allow_user_audio_requests: true,
      capture_payments: true,
      break_lines: true,
      chat_model_level: 3,
      questions: [{ question: 'q', answer: 'a' }],
    };
    const { id } = await addBot(app, teamId, {
      ...members,
      document_ids: [document.id],
      actions: [{ name: 'Order status', endpoint: 'https://example.com/{{order}}' }],
    });
    const { body } = await api('GET', `/bots/${id}`);
    for (const [name, value] of Object.entries(members)) assert.deepEqual(body.data[name], value, name);
    assert.deepEqual(body.data.documents, [{ document_id: document.id, bot_id: id }]);
    assert.deepEqual(
      { ...body.data.actions[0], id: null },
      {
        id: null,
        name: 'Order status',
        description: '',
        endpoint: 'https://example.com/{{order}}',
        method: 'GET',
        headers: { key: '', value: '' },
        body: [],
      },
    );
  });

  test('reports unknown teams and documents, and documents of other teams', async () => {
    const foreign = await addDocument(context, otherTeamId);
    const own = await addDocument(context, teamId);
    const noTeam = await api('POST', '/bots', { body: { team_id: newId(), name: 'Desk' } });
    assert.deepEqual([noTeam.status, pathsOf(noTeam.body)], [400, ['team_id']]);
    const { status, body } = await api('POST', '/bots', {
      body: { team_id: teamId, name: 'Desk', document_ids: [own.id, foreign.id, newId()] },
    });
    assert.deepEqual([status, pathsOf(body)], [400, ['document_ids[1]', 'document_ids[2]']]);
  });

  test('creates three bots from twenty concurrent requests if the quota allows three', async () => {
    const team = await addTeam(context, { bots: 3 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => api('POST', '/bots', { body: { team_id: team, name: 'Desk' } })),
    );
    const refused = answers.filter(({ status }) => status === 400);
    assert.equal(answers.filter(({ status }) => status === 200).length, 3);
    assert.equal(refused.length, 17);
    for (const { body } of refused) {
      assert.deepEqual(body.details, {
        reason: 'quota_exceeded',
        quota: 'bots',
        used: 3,
        limit: 3,
        needed: 1,
      });
    }
    assert.equal(await botsUsed(team), 3);
    assert.equal((await rowsOf(team)).length, 3);
  });

  test('creates one bot under the same Idempotency-Key', async () => {
    const team = await addTeam(context);
    const call = () =>
      api('POST', '/bots', {
        body: { team_id: team, name: 'Desk' },
        headers: { 'idempotency-key': 'create-desk' },
      });
    const first = await call();
    const second = await call();
    assert.deepEqual(second.body, first.body);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.equal(await botsUsed(team), 1);
  });

  test('schedules the deletion of created objects when the provider refuses', async () => {
    const team = await addTeam(context);
    const recover = failing(provider, { putAssistant: () => Promise.reject(new Error('down')) });
    const { status, body } = await api('POST', '/bots', { body: { team_id: team, name: 'Desk' } });
    recover();
    assert.deepEqual([status, body.details?.reason], [500, 'provider_unavailable']);
    assert.deepEqual(await rowsOf(team), []);
    assert.equal(await botsUsed(team), 0);
    const scheduled = (await scheduledDeletions(team)).sort();
    assert.match(scheduled.join(), /^knowledge vs_\w+,tagged [0-9a-f-]{36}$/);
  });

  test('times out when the provider hangs, and schedules a deletion by tag', async () => {
    const team = await addTeam(context);
    const recover = failing(provider, { putKnowledge: () => new Promise(() => undefined) });
    const { status, body } = await api('POST', '/bots', { body: { team_id: team, name: 'Desk' } });
    recover();
    assert.deepEqual([status, body.details?.reason], [500, 'provider_unavailable']);
    assert.equal(await botsUsed(team), 0);
    assert.match((await scheduledDeletions(team)).join(), /^tagged [0-9a-f-]{36}$/);
  });

  test('creates no bot for a team deleted during the provider call', async () => {
    const team = await addTeam(context);
    const recover = failing(provider, {
      putAssistant: async (call) => {
        const made = await call();
        await db.deleteFrom('teams').where('id', '=', team).execute();
        return made;
      },
    });
    const { status, body } = await api('POST', '/bots', { body: { team_id: team, name: 'Desk' } });
    recover();
    assert.deepEqual(
      [status, body.details?.issues?.[0].path],
      [400, 'team_id'],
      'same error as for a team deleted earlier',
    );
    assert.deepEqual(await rowsOf(team), []);
    assert.match((await scheduledDeletions(team)).sort().join(), /^assistant asst_\w+,knowledge vs_\w+$/);
  });

  test('deletes an interrupted creation after two minutes, not earlier', async () => {
    const team = await addTeam(context);
    const { id } = await addBot(app, team);
    const dead = newId();
    const young = newId();
    const { state: _, ...likeness } = await db
      .selectFrom('bots')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const intent = { ...likeness, state: 'creating', questions: '[]', ai_provider_id: null, vector_id: null };
    await db
      .insertInto('bots')
      .values([
        { ...intent, id: dead, created_at: new Date(Date.now() - 121_000) },
        { ...intent, id: young, created_at: new Date(Date.now() - 60_000) },
      ])
      .execute();
    await db.updateTable('team_usage').set({ bots: 3 }).where('team_id', '=', team).execute();
    await reconcileBotsJob({ db }).run({}, new AbortController().signal);
    assert.deepEqual((await rowsOf(team)).map((row) => row.id).sort(), [id, young].sort());
    assert.equal(await botsUsed(team), 2);
    assert.deepEqual(await scheduledDeletions(team), [`tagged ${dead}`]);
  });

  test('does not wait for a team whose counters are locked before it undoes those of another team', async () => {
    const teams = [await addTeam(context), await addTeam(context)];
    const [locked = '', other = ''] = teams;
    for (const team of teams) {
      await addBot(app, team);
      await db
        .updateTable('bots')
        .set({ state: 'creating', created_at: new Date(Date.now() - 121_000) })
        .where('team_id', '=', team)
        .execute();
    }
    const job = reconcileBotsJob({ db });
    await db.transaction().execute(async (tx) => {
      await sql`select from team_usage where team_id = ${locked} for update`.execute(tx);
      await promptly(async () => job.run({}, new AbortController().signal));
      assert.deepEqual([await botsUsed(locked), await botsUsed(other)], [1, 0]);
    });
    await job.run({}, new AbortController().signal);
    assert.equal(await botsUsed(locked), 0);
  });

  test('hides an incomplete bot from every operation', async () => {
    const team = await addTeam(context);
    let during: string[] = [];
    const recover = failing(provider, {
      putAssistant: async (call) => {
        const [row] = await rowsOf(team);
        const calls = [
          api('GET', `/bots/${row?.id}`),
          api('PATCH', `/bots/${row?.id}`, { body: {} }),
          api('POST', `/bots/${row?.id}/publish`),
          api('DELETE', `/bots/${row?.id}`),
          api('GET', `/bots/${row?.id}/versions`),
        ];
        const answers = await Promise.all(calls);
        const { body } = await api('GET', `/bots?team_id=${team}`);
        during = [...answers.map(({ status }) => String(status)), `listed ${body.meta.total}`];
        return call();
      },
    });
    await addBot(app, team);
    recover();
    assert.deepEqual(during, ['404', '404', '404', '404', '404', 'listed 0']);
  });
});

describe('list', () => {
  test('returns pages, newest first, filtered by team, name and published flag', async () => {
    const team = await addTeam(context);
    const ids: string[] = [];
    for (const name of ['One 100%', 'Two', 'Three']) ids.unshift((await addBot(app, team, { name })).id);
    await api('POST', `/bots/${ids[1]}/publish`);
    const listed = async (query: string) => {
      const { body } = await api('GET', `/bots?team_id=${team}${query}`);
      return [body.data.map(({ id }: { id: string }) => id), body.meta.total, body.meta.totalPages];
    };
    assert.deepEqual(await listed(''), [ids, 3, 1]);
    assert.deepEqual(await listed('&limit=2&page=2'), [[ids[2]], 3, 2]);
    assert.deepEqual(await listed('&page=9'), [[], 3, 1]);
    assert.deepEqual(await listed('&published=true'), [[ids[1]], 1, 1]);
    assert.deepEqual(await listed('&published=false'), [[ids[0], ids[2]], 2, 1]);
    assert.deepEqual(await listed('&name=100%25'), [[ids[2]], 1, 1]);
    assert.deepEqual(await listed('&name=t'), [[ids[0], ids[1]], 2, 1]);
  });

  test('filters by a document of the draft or of the live version', async () => {
    const team = await addTeam(context);
    const document = await addDocument(context, team);
    const document_ids = [document.id];
    const [, live, draft] = await Promise.all([
      addBot(app, team),
      addBot(app, team, { document_ids }),
      addBot(app, team, { document_ids }),
    ]);
    await api('POST', `/bots/${live.id}/publish`);
    await api('PATCH', `/bots/${live.id}`, { body: { document_ids: [] } });
    const { body } = await api('GET', `/bots?document_id=${document.id}`);
    assert.deepEqual(new Set(body.data.map(({ id }: { id: string }) => id)), new Set([live.id, draft.id]));
    assert.equal(body.meta.total, 2);
    await api('POST', `/bots/${live.id}/publish`);
    const { body: later } = await api('GET', `/bots?document_id=${document.id}`);
    assert.deepEqual([later.data.map(({ id }: { id: string }) => id), later.meta.total], [[draft.id], 1]);
  });

  test('returns no bots of an unknown team and rejects malformed parameters', async () => {
    assert.deepEqual((await api('GET', `/bots?team_id=${newId()}`)).body.data, []);
    for (const query of ['team_id=x', 'page=0', 'limit=101', 'published=yes', 'teamId=1']) {
      assert.equal((await api('GET', `/bots?${query}`)).status, 400, query);
    }
  });
});

describe('delete', () => {
  test('deletes the row, frees the quota, keeps the documents and schedules cleanup at the provider', async () => {
    const team = await addTeam(context, { bots: 1 });
    const document = await addDocument(context, team);
    const bot = await addBot(app, team, { document_ids: [document.id] });
    await api('POST', `/bots/${bot.id}/publish`);
    const { status, body } = await api('DELETE', `/bots/${bot.id}`);
    assert.deepEqual([status, Object.keys(body.data)], [200, ['message']]);
    assert.equal((await api('GET', `/bots/${bot.id}`)).status, 404);
    assert.equal((await api('DELETE', `/bots/${bot.id}`)).status, 404);
    assert.equal(await botsUsed(team), 0);
    assert.deepEqual(
      (await scheduledDeletions(team)).sort(),
      [`assistant ${bot.ai_provider_id}`, `knowledge ${bot.vector_id}`].sort(),
    );
    const left = await db.selectFrom('documents').select('id').where('id', '=', document.id).execute();
    assert.equal(left.length, 1);
    await addBot(app, team);
  });

  test('rejects deleting a bot with linked devices and lists them', async () => {
    const team = await addTeam(context);
    const bot = await addBot(app, team);
    const deviceId = newId();
    await db
      .insertInto('devices')
      .values({
        id: deviceId,
        team_id: team,
        bot_id: bot.id,
        name: 'd',
        pool_id: newId(),
        pool_url: 'http://x',
      })
      .execute();
    const { status, body } = await api('DELETE', `/bots/${bot.id}`);
    assert.deepEqual([status, body.details], [400, { reason: 'bot_linked', device_ids: [deviceId] }]);
    assert.equal((await api('GET', `/bots/${bot.id}`)).status, 200);
    assert.deepEqual(await scheduledDeletions(team), []);
  });

  test('deletes bots and their team concurrently without a deadlock', async () => {
    for (let round = 0; round < 5; round += 1) {
      const team = await addTeam(context);
      const bots = await Promise.all(Array.from({ length: 6 }, () => addBot(app, team)));
      const deletions = bots.map(({ id }) => api('DELETE', `/bots/${id}`));
      const removal = db.transaction().execute((tx) => deleteTeam(tx, team));
      for (const { status, body } of await Promise.all(deletions)) {
        assert.ok([200, 404].includes(status), JSON.stringify(body));
      }
      await removal;
      assert.deepEqual(await rowsOf(team), []);
    }
  });

  for (const [what, remove] of [
    ['a bot', (id: string) => api('DELETE', `/bots/${id}`)],
    [
      'an incomplete bot',
      async (id: string, team: string) => {
        const removed = await db
          .transaction()
          .execute((tx) => deleteStaleIntents(tx, { teamId: team, olderThanSeconds: 3600, limit: 100 }));
        return { status: removed.some(({ botId }) => botId === id) ? 200 : 404 };
      },
    ],
  ] as const) {
    test(`deletes ${what} and one of its documents concurrently without a deadlock`, async () => {
      const team = await addTeam(context);
      const document = await addDocument(context, team);
      const bot = await addBot(app, team, { document_ids: [document.id] });
      if (what !== 'a bot') {
        await sql`
          update bots set state = 'creating', created_at = created_at - interval '2 hours' where id = ${bot.id}`.execute(
          db,
        );
      }
      const deleting = await db.transaction().execute(async (tx) => {
        await sql`delete from documents where id = ${document.id}`.execute(tx);
        const removal = remove(bot.id, team);
        await waitForLockWaiter(db);
        await sql`select from team_usage where team_id = ${team} for update`.execute(tx);
        return { removal };
      });
      assert.equal((await deleting.removal).status, 200);
      assert.deepEqual(await rowsOf(team), []);
      assert.equal(await botsUsed(team), 0);
    });
  }

  test('refunds the quota once for ten concurrent deletions', async () => {
    const team = await addTeam(context);
    const bot = await addBot(app, team);
    const answers = await Promise.all(Array.from({ length: 10 }, () => api('DELETE', `/bots/${bot.id}`)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ status }) => status === 404).length, 9);
    assert.equal(await botsUsed(team), 0);
  });
});

describe('access', () => {
  test('hides a bot from keys of other teams in every operation', async () => {
    const bot = await addBot(app, teamId);
    await api('POST', `/bots/${bot.id}/publish`);
    const { token } = await app.issueKey({ teamId: otherTeamId });
    const calls = [
      ['GET', ''],
      ['PATCH', ''],
      ['POST', '/publish'],
      ['DELETE', ''],
      ['GET', '/versions'],
      ['POST', '/versions/1/restore'],
    ] as const;
    for (const [method, path] of calls) {
      const body = method === 'PATCH' ? { body: { name: 'taken' } } : {};
      const theirs = await api(method, `/bots/${bot.id}${path}`, { token, ...body });
      const nobodys = await api(method, `/bots/${newId()}${path}`, { token, ...body });
      assert.equal(theirs.status, 404, `${method} ${path}`);
      assert.deepEqual(theirs.body, nobodys.body);
    }
    assert.equal((await api('GET', `/bots?team_id=${teamId}`, { token })).body.meta.total, 0);
    const created = await api('POST', '/bots', { token, body: { team_id: teamId, name: 'Desk' } });
    assert.deepEqual([created.status, pathsOf(created.body)], [400, ['team_id']]);
    assert.equal((await api('GET', `/bots/${bot.id}`)).body.data.published, true);
  });

  test("allows a team's own key every operation on its bots", async () => {
    const team = await addTeam(context);
    const { token } = await app.issueKey({ teamId: team });
    const created = await api('POST', '/bots', { token, body: { team_id: team, name: 'Desk' } });
    assert.equal(created.status, 200);
    const { id } = created.body.data;
    assert.equal((await api('PATCH', `/bots/${id}`, { token, body: { name: 'Till' } })).status, 200);
    assert.equal((await api('POST', `/bots/${id}/publish`, { token })).status, 200);
    assert.equal((await api('POST', `/bots/${id}/versions/1/restore`, { token })).status, 200);
    assert.equal((await api('GET', '/bots', { token })).body.meta.total, 1);
    assert.equal((await api('DELETE', `/bots/${id}`, { token })).status, 200);
  });

  test('returns 401 without a token and 404 for a malformed id', async () => {
    assert.equal((await api('GET', '/bots', { token: null })).status, 401);
    assert.equal((await api('GET', '/bots/not-an-id')).status, 404);
    assert.equal((await api('POST', '/bots/not-an-id/publish')).status, 404);
  });
});

test('describes the values of actions as given, and refuses other names', async () => {
  const { id } = await addBot(app, await addTeam(app.context));
  const action = {
    name: 'Book',
    endpoint: 'https://example.com/{{day}}',
    body: [{ key: 'guests', value: '' }],
  };
  const update = (parameters: object[]) =>
    app.api('PATCH', `/bots/${id}`, { body: { actions: [{ ...action, parameters }] } });
  assert.equal(
    (
      await update([
        { name: 'day', description: 'ISO date' },
        { name: 'guests', required: false },
      ])
    ).status,
    200,
  );
  const { body } = await app.api('GET', `/bots/${id}`);
  const expected = [
    { name: 'day', description: 'ISO date', required: true },
    { name: 'guests', description: '', required: false },
  ];
  assert.deepEqual(body.data.actions[0].parameters, expected);
  assert.equal((await app.api('PATCH', `/bots/${id}`, { body: { actions: body.data.actions } })).status, 200);
  const kept = await app.api('GET', `/bots/${id}`);
  assert.deepEqual(kept.body.data.actions, body.data.actions);
  for (const wrong of [[{ name: 'hour' }], [{ name: 'day' }, { name: 'day' }]]) {
    const refused = await update(wrong);
    assert.deepEqual(
      refused.body.details.issues.map(({ path }: { path: string }) => path),
      [`actions[0].parameters[${wrong.length - 1}].name`],
    );
  }
});
