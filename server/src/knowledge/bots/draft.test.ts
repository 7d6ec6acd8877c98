import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addBot, addDocument, addTeam, startBotsApp } from '../../../test/bots.ts';
import { newId } from '../../platform/shared/ids.ts';

const app = await startBotsApp();
const { api, context } = app;
const teamId = await addTeam(context, { bots: 1000 });

const patch = (id: string, body: unknown) => api('PATCH', `/bots/${id}`, { body });
const get = async (id: string) => (await api('GET', `/bots/${id}`)).body.data;
const long = (length: number) => '𝓍'.repeat(length);
const action = (members: object = {}) => ({ name: 'Order', endpoint: 'https://example.com/o', ...members });
const times = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, i) => item(i));

describe('limits of a bot', () => {
  const taken: [string, object][] = [
    ['name', { name: 'x' }],
    ['name', { name: long(100) }],
    ['temperature', { temperature: 0 }],
    ['temperature', { temperature: 2 }],
    ['chat_model_level', { chat_model_level: 1 }],
    ['chat_model_level', { chat_model_level: 3 }],
    ['instructions', { instructions: '' }],
    ['instructions', { instructions: long(32_000) }],
    ['identification_name', { identification_name: '' }],
    ['questions', { questions: [] }],
    ['questions', { questions: times(50, () => ({ question: long(1000), answer: long(4000) })) }],
    ['questions', { questions: times(500, (i) => ({ question: `q${i}`, answer: 'a' })) }],
    ['actions', { actions: times(50, () => action()) }],
    ['actions', { actions: [action({ name: long(100) })] }],
    ['document_ids', { document_ids: [] }],
  ];
  const refused: [string, object][] = [
    ['name', { name: '' }],
    ['name', { name: '   ' }],
    ['name', { name: long(101) }],
    ['name', { name: 'a\nb' }],
    ['name', { name: null }],
    ['temperature', { temperature: -0.01 }],
    ['temperature', { temperature: 2.01 }],
    ['temperature', { temperature: '1' }],
    ['chat_model_level', { chat_model_level: 0 }],
    ['chat_model_level', { chat_model_level: 4 }],
    ['chat_model_level', { chat_model_level: 1.5 }],
    ['instructions', { instructions: long(32_001) }],
    ['instructions', { instructions: 'a\u0000b' }],
    ['instructions', { instructions: 'a\ud800b' }],
    ['allow_human', { allow_human: 'true' }],
    ['role', { role: 'seller' }],
    ['published', { published: true }],
    ['questions', { questions: times(501, () => ({ question: 'q', answer: 'a' })) }],
    ['questions[0].question', { questions: [{ question: long(1001), answer: 'a' }] }],
    ['questions[0].answer', { questions: [{ question: 'q', answer: long(4001) }] }],
    ['questions[0].answer', { questions: [{ question: 'q' }] }],
    ['questions[0].extra', { questions: [{ question: 'q', answer: 'a', extra: 1 }] }],
    ['actions', { actions: times(51, () => action()) }],
    ['actions[0].name', { actions: [action({ name: long(101) })] }],
    ['actions[0].endpoint', { actions: [{ name: 'Order' }] }],
    ['actions[0].endpoint', { actions: [action({ endpoint: 'https://{{host}}/' })] }],
    ['actions[0].method', { actions: [action({ method: 'HEAD' })] }],
    ['actions[0].id', { actions: [action({ id: 'x' })] }],
    ['actions[0].headers', { actions: [action({ headers: { Host: 'x' } })] }],
    ['actions[0].headers', { actions: [action({ headers: { 'a b': 'x' } })] }],
    ['actions[0].headers', { actions: [action({ headers: { 'x-a': 'x\r\ny: z' } })] }],
    ['actions[0].headers.x-a', { actions: [action({ headers: { 'x-a': 1 } })] }],
    ['actions[0].headers.all', { actions: [action({ headers: { all: 'x' } })] }],
    ['actions[0].body[0].key', { actions: [action({ body: [{ value: 'x' }] })] }],
    ['actions[0].body[0].type', { actions: [action({ body: [{ key: 'k', value: 'x', type: 'date' }] })] }],
    ['actions[0].body[0].value', { actions: [action({ body: [{ key: 'k', value: 'x', type: 'number' }] })] }],
    [
      'actions[0].body[0].value',
      { actions: [action({ body: [{ key: 'k', value: '1', type: 'boolean' }] })] },
    ],
    [
      'actions[0].body[1].key',
      { actions: [action({ method: 'POST', body: times(2, () => ({ key: 'k', value: 'x' })) })] },
    ],
    ['document_ids[0]', { document_ids: ['x'] }],
    ['document_ids', { document_ids: times(101, () => newId()) }],
  ];

  test('accepts values at the limits', async () => {
    const { id } = await addBot(app, teamId);
    for (const [name, body] of taken) {
      const answer = await patch(id, body);
      assert.equal(answer.status, 200, `${name}: ${JSON.stringify(answer.body).slice(0, 300)}`);
    }
  });

  test('rejects values beyond the limits with their path and changes nothing', async () => {
    const { id } = await addBot(app, teamId);
    const before = await get(id);
    for (const [path, body] of refused) {
      const answer = await patch(id, body);
      assert.equal(answer.status, 400, `${path} ${JSON.stringify(body).slice(0, 100)}`);
      assert.ok(
        answer.body.details.issues.some((issue: { path: string }) => issue.path === path),
        `${path}: ${JSON.stringify(answer.body.details)}`,
      );
    }
    assert.deepEqual(await get(id), before);
  });

  test('applies the limits to create and reports every issue at once', async () => {
    const { status, body } = await api('POST', '/bots', {
      body: { team_id: teamId, name: '', temperature: 3, chat_model_level: 9, actions: [{}] },
    });
    assert.equal(status, 400);
    const paths = body.details.issues.map(({ path }: { path: string }) => path).sort();
    assert.deepEqual(
      new Set(paths),
      new Set(['actions[0].endpoint', 'actions[0].name', 'chat_model_level', 'name', 'temperature']),
    );
  });

  test('reports invalid values before an unknown bot', async () => {
    assert.equal((await patch(newId(), { temperature: 3 })).status, 400);
    assert.equal((await patch(newId(), { actions: [action({ endpoint: 'x' })] })).status, 400);
    assert.equal((await patch(newId(), { actions: [action()] })).status, 404);
  });
});

describe('lists of a bot', () => {
  test('replaces a given list as a whole and keeps an omitted one', async () => {
    const one = await addDocument(context, teamId);
    const two = await addDocument(context, teamId);
    const { id } = await addBot(app, teamId, {
      questions: [{ question: 'q', answer: 'a' }],
      document_ids: [one.id, two.id],
      actions: [action(), action({ name: 'Other' })],
    });
    const before = await get(id);
    await patch(id, { description: 'changed' });
    const after = await get(id);
    assert.deepEqual(
      [after.questions, after.actions, after.documents],
      [before.questions, before.actions, before.documents],
    );
    await patch(id, { questions: [], document_ids: [two.id, two.id], actions: [action({ name: 'Only' })] });
    const replaced = await get(id);
    assert.deepEqual(replaced.questions, []);
    assert.deepEqual(replaced.documents, [{ document_id: two.id, bot_id: id }]);
    assert.deepEqual(
      replaced.actions.map(({ name }: { name: string }) => name),
      ['Only'],
    );
  });

  test('keeps the order', async () => {
    const documents = await Promise.all(times(5, () => addDocument(context, teamId)));
    const ids = documents.map((document) => document.id).reverse();
    const { id } = await addBot(app, teamId, { document_ids: ids });
    const { documents: attached } = await get(id);
    assert.deepEqual(
      attached.map(({ document_id }: { document_id: string }) => document_id),
      ids,
    );
  });

  test('reports every document that is not one of the team', async () => {
    const own = await addDocument(context, teamId);
    const foreign = await addDocument(context, await addTeam(context));
    const { id } = await addBot(app, teamId);
    const { status, body } = await patch(id, {
      document_ids: [own.id, foreign.id, newId()],
      name: 'Changed',
    });
    assert.equal(status, 400);
    assert.deepEqual(
      body.details.issues.map(({ path }: { path: string }) => path),
      ['document_ids[1]', 'document_ids[2]'],
    );
    const unchanged = await get(id);
    assert.deepEqual([unchanged.name, unchanged.documents], ['Desk', []]);
  });
});

describe('actions', () => {
  const full = {
    name: 'Order status',
    description: 'Looks an order up',
    endpoint: 'https://api.example.com/orders/{{order_id}}?lang=en',
    method: 'POST',
    headers: { Authorization: 'Bearer secret', 'X-Trace': '{{order_id}}' },
    body: [
      { key: 'amount', value: '', type: 'number' },
      { key: 'urgent', value: 'true', type: 'boolean' },
      { key: 'note', value: 'for {{contact}}' },
    ],
  };

  test('accepts actions exactly as get returned them', async () => {
    const { id } = await addBot(app, teamId, {
      actions: [full, action(), action({ headers: { 'X-One': '1' } })],
    });
    const { actions } = await get(id);
    assert.deepEqual(
      actions.map(({ headers }: { headers: object }) => headers),
      [
        {
          key: 'Authorization',
          value: 'Bearer secret',
          all: [
            { key: 'Authorization', value: 'Bearer secret' },
            { key: 'X-Trace', value: '{{order_id}}' },
          ],
        },
        { key: '', value: '' },
        { key: 'X-One', value: '1' },
      ],
    );
    assert.equal((await patch(id, { actions })).status, 200);
    assert.deepEqual((await get(id)).actions, actions);
  });

  test('updates an action with a known id and keeps omitted fields', async () => {
    const { id } = await addBot(app, teamId, { actions: [full] });
    const [before] = (await get(id)).actions;
    const body = before.body.map(({ key, value }: { key: string; value: string }) => ({ key, value }));
    await patch(id, { actions: [{ id: before.id, name: 'Renamed', endpoint: before.endpoint, body }] });
    assert.deepEqual((await get(id)).actions, [{ ...before, name: 'Renamed' }]);
  });

  test('creates an action under an unknown id, or under a new id if omitted', async () => {
    const { id } = await addBot(app, teamId);
    const chosen = newId();
    await patch(id, { actions: [action({ id: chosen.toUpperCase() }), action()] });
    const { actions } = await get(id);
    assert.equal(actions[0].id, chosen);
    assert.notEqual(actions[1].id, chosen);
  });

  test('rejects a duplicate id within a bot and allows it across bots', async () => {
    const chosen = newId();
    const one = await addBot(app, teamId, { actions: [action({ id: chosen })] });
    const two = await addBot(app, teamId, { actions: [action({ id: chosen, name: 'Other' })] });
    const { status, body } = await patch(one.id, {
      actions: [action({ id: chosen }), action({ id: chosen })],
    });
    assert.deepEqual([status, body.details.issues[0].path], [400, 'actions[1].id']);
    assert.equal((await get(two.id)).actions[0].name, 'Other');
  });

  test('stores header values sealed', async () => {
    const { id } = await addBot(app, teamId, { actions: [full] });
    await api('POST', `/bots/${id}/publish`);
    const { db } = context;
    const rows = [
      await db.selectFrom('bot_actions').selectAll().where('bot_id', '=', id).execute(),
      await db.selectFrom('bot_versions').selectAll().where('bot_id', '=', id).execute(),
    ].flat();
    assert.equal(rows.length, 2);
    for (const row of rows) {
      for (const value of Object.values(row)) {
        assert.doesNotMatch(
          Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value),
          /secret/,
        );
      }
    }
  });
});
