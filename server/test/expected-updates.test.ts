import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDescribedApi } from './openapi/described-api.ts';

const { api, createObjects, operations } = await startDescribedApi();
const ids = await createObjects();
const team = ids['teams'] ?? '';

interface Update {
  /** The id of the operation. */
  operation: string;
  path: string;
  method?: 'PATCH' | 'PUT';
  /** Absent: the object is read at `path`. */
  readAt?: string;
  change: (text: string) => Record<string, unknown>;
  /** Where the change differs from a later one. */
  differs: string;
}

const named = (name: string) => ({ name });
const contact = (number: string) => ({
  path: `/contacts/${encodeURIComponent(number)}`,
  readAt: `/contacts/${encodeURIComponent(number)}?team_id=${team}`,
  change: (note: string) => ({ team_id: team, note }),
  differs: 'note',
});

const noHours = {
  week: { monday: [], tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] },
  exceptions: [],
};

const updates: readonly Update[] = [
  { operation: 'updateBot', path: `/bots/${ids['bots']}`, change: named, differs: 'name' },
  { operation: 'updateTeam', path: `/teams/${team}`, change: named, differs: 'name' },
  { operation: 'updateDevice', path: `/devices/${ids['devices']}`, change: named, differs: 'name' },
  {
    operation: 'renameDocument',
    path: `/documents/${ids['documents']}`,
    change: (text) => ({ name: `${text}.txt` }),
    differs: 'name',
  },
  {
    operation: 'updateWebhook',
    path: `/webhooks/${ids['webhooks']}`,
    change: (description) => ({ description }),
    differs: 'description',
  },
  { operation: 'updateContact', ...contact('+15550177002') },
  {
    operation: 'putSavedReplies',
    method: 'PUT',
    path: `/teams/${team}/saved-replies`,
    change: (text) => ({ replies: [{ name: 'hours', text }] }),
    differs: 'replies',
  },
  {
    operation: 'updateCase',
    path: `/bots/${ids['bots']}/cases/${ids['cases']}`,
    change: named,
    differs: 'name',
  },
  {
    operation: 'putGate',
    method: 'PUT',
    path: `/bots/${ids['bots']}/gate`,
    change: (text) => ({
      min_pass: 1,
      sources: ['cases'],
      max_worse: Number.parseInt(text.replaceAll(' ', ''), 36) % 1000,
    }),
    differs: 'max_worse',
  },
  {
    operation: 'putHours',
    method: 'PUT',
    path: `/teams/${team}/hours`,
    change: (text) => ({ hours: { ...noHours, text } }),
    differs: 'hours',
  },
];

async function read({ path, readAt = path }: Update) {
  const { status, body } = await api('GET', readAt);
  assert.equal(status, 200, JSON.stringify(body));
  // The members of a gate are inside, because a bot may have none.
  return { ...body.data, ...body.data.gate };
}

/** Repeats an update that waited too long for a lock, as the service asks for. */
async function write(update: Update, body: object): ReturnType<typeof api> {
  const result = await api(update.method ?? 'PATCH', update.path, { body });
  return result.status === 503 ? write(update, body) : result;
}

test('covers every update of an object that says when it changed', () => {
  const taking = operations.filter(({ body }) => body?.properties?.['expected_updated_at'] !== undefined);
  assert.deepEqual(
    taking.map(({ id }) => id).toSorted(),
    updates.map(({ operation }) => operation).toSorted(),
  );
});

for (const update of updates) {
  const { operation, change, differs } = update;

  test(`${operation} refuses a change of an object that changed meanwhile, and shows both values`, async () => {
    const { updated_at: before } = await read(update);
    const theirs = change('theirs');
    assert.equal((await write(update, { ...theirs, expected_updated_at: before })).status, 200);
    const present = await read(update);
    assert.notEqual(present.updated_at, before);
    const yours = change('yours');
    const refused = await write(update, { ...yours, expected_updated_at: before });
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.body.details, {
      reason: 'changed_meanwhile',
      updated_at: present.updated_at,
      differences: [{ path: differs, yours: yours[differs], current: theirs[differs] }],
    });
    assert.deepEqual(await read(update), present);
    const kept = await write(update, { ...yours, expected_updated_at: refused.body.details.updated_at });
    assert.equal(kept.status, 200);
    assert.equal((await write(update, change('without'))).status, 200);
    const invalid = await write(update, { ...yours, expected_updated_at: 'yesterday' });
    assert.deepEqual([invalid.status, invalid.body.details.issues[0].path], [400, 'expected_updated_at']);
  });

  test(`${operation} accepts exactly one of several updates at the same time`, async () => {
    for (let round = 0; round < 5; round += 1) {
      const { updated_at: expected } = await read(update);
      await raceOnce(update, expected, round);
    }
  });
}

test('creates a contact and the saved replies once if several people do it at the same time', async () => {
  const created = await api('POST', '/teams', {
    body: { user: { name: 'Ada', email: 'ada@example.com' }, team: { name: 'Other' } },
  });
  const replies = updates.find(({ operation }) => operation === 'putSavedReplies');
  assert.ok(replies !== undefined);
  const path = `/teams/${created.body.data.team.id}/saved-replies`;
  await raceOnce({ ...replies, path }, null, 0);
  for (let round = 0; round < 5; round += 1)
    await raceOnce({ operation: 'updateContact', ...contact(`+1555017710${round}`) }, null, round);
  const unknown = { operation: 'updateContact', ...contact('+15550177200') };
  const refused = await write(unknown, {
    ...unknown.change('x'),
    expected_updated_at: created.body.data.team.updated_at,
  });
  assert.equal(refused.body.details.reason, 'changed_meanwhile');
  assert.equal(refused.body.details.updated_at, null);
});

async function raceOnce(update: Update, expected: string | null, round: number): Promise<void> {
  const racing = [1, 2, 3, 4, 5, 6].map((each) => update.change(`racer ${round} ${each}`));
  const results = await Promise.all(
    racing.map((change) => write(update, { ...change, expected_updated_at: expected })),
  );
  const winners = racing.filter((_, index) => results[index]?.status === 200);
  assert.equal(winners.length, 1, JSON.stringify(results.map(({ body }) => body)));
  const lost = results.filter(({ body }) => body.details?.reason === 'changed_meanwhile');
  assert.equal(lost.length, racing.length - 1);
  assert.deepEqual((await read(update))[update.differs], winners[0]?.[update.differs]);
}

test('compares settings and quotas of a team member by member', async () => {
  const path = `/teams/${team}`;
  const { updated_at: expected } = (await api('GET', path)).body.data;
  const theirs = { settings: { timezone: 'Europe/Lisbon' }, quotas: { bots: 7 } };
  assert.equal((await api('PATCH', path, { body: theirs })).status, 200);
  const { body } = await api('PATCH', path, {
    body: {
      settings: { timezone: 'Europe/Madrid', locale: 'en' },
      quotas: { bots: 9, documents: null },
      expected_updated_at: expected,
    },
  });
  assert.deepEqual(
    body.details.differences.filter(({ path: changed }: { path: string }) => changed !== 'quotas.documents'),
    [
      { path: 'settings.timezone', yours: 'Europe/Madrid', current: 'Europe/Lisbon' },
      { path: 'quotas.bots', yours: 9, current: 7 },
    ],
  );
});

test('compares the lists of a bot, and reports invalid references first', async () => {
  const path = `/bots/${ids['bots']}`;
  const { updated_at: expected } = (await api('GET', path)).body.data;
  const questions = [{ question: 'Open?', answer: 'At nine.' }];
  assert.equal(
    (await api('PATCH', path, { body: { questions, document_ids: [], purpose: 'Sell' } })).status,
    200,
  );
  const yours = {
    questions: [],
    document_ids: [ids['documents']],
    purpose: 'Help',
    expected_updated_at: expected,
  };
  const { body } = await api('PATCH', path, { body: yours });
  assert.deepEqual(body.details.differences, [
    { path: 'questions', yours: [], current: questions },
    { path: 'document_ids', yours: [ids['documents']], current: [] },
    { path: 'purpose', yours: 'Help', current: 'Sell' },
  ]);
  const invalid = await api('PATCH', path, { body: { ...yours, document_ids: [team] } });
  assert.equal(invalid.body.details.reason, 'validation');
});
