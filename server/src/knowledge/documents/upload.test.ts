import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../test/eventually.ts';
import { promptly } from '../../../test/promptly.ts';
import { maxUploadBytes, startUploadApp } from '../../../test/upload-app.ts';
import { externalCleanupJobs } from '../../lifecycle/external-cleanup/external-cleanup.jobs.ts';
import type { AssistantProvider } from '../assistant-provider/assistant-provider.ts';
import { documentJobs } from './documents.jobs.ts';

type Put = AssistantProvider['putDocument'];

/** Faults of the provider and the file store for one test. */
let overrides: {
  /** Default: as of a provider outside. */
  documentsIn?: AssistantProvider['documentsIn'];
  put?: (real: Put, ...call: Parameters<Put>) => ReturnType<Put>;
  status?: AssistantProvider['documentStatus'];
  move?: () => Promise<void>;
  stage?: () => Promise<void>;
} = {};
beforeEach(() => {
  overrides = {};
});

const { api, baseUrl, key, createTeam, upload, context, fileStore } = await startUploadApp({
  providerDeadlineMs: 1_000,
  provider: (real) => ({
    ...real,
    get documentsIn() {
      return overrides.documentsIn ?? 'openai';
    },
    putDocument: (...call) => overrides.put?.(real.putDocument, ...call) ?? real.putDocument(...call),
    documentStatus: (...call) => overrides.status?.(...call) ?? real.documentStatus(...call),
  }),
  fileStore: (real) => ({
    ...real,
    put: async (...call) => {
      await overrides.stage?.();
      return real.put(...call);
    },
    move: async (...call) => {
      await overrides.move?.();
      return real.move(...call);
    },
  }),
});
const { db, provider, clock, logger } = context;
const { signal } = new AbortController();
const jobs = [
  ...documentJobs({
    db,
    logger,
    provider: {
      documentStatus: (...call) => overrides.status?.(...call) ?? provider.documentStatus(...call),
    },
  }),
  ...externalCleanupJobs({ db, provider, fileStore, clock, logger }),
];

const run = (name: string) =>
  jobs.find((job) => job.name === name)?.run({}, signal) ?? assert.fail(`there is no job ${name}`);

/** Runs every scheduled deletion, including those that are not due. */
async function runScheduledDeletions(): Promise<void> {
  await sql`update tombstones set next_attempt_at = now() - interval '1 second'`.execute(db);
  await run('remove-buried');
}

async function listFiles(teamId: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of fileStore.list('')) if (key.includes(teamId)) keys.push(key);
  return keys;
}

async function listProviderObjects(teamId: string): Promise<string[]> {
  const refs: string[] = [];
  for await (const { ref, tag } of provider.listOwned(signal)) if (tag.teamId === teamId) refs.push(ref);
  return refs;
}

async function readStates(teamId: string): Promise<string[]> {
  const rows = await db.selectFrom('documents').select('state').where('team_id', '=', teamId).execute();
  return rows.map(({ state }) => state);
}

/** A failed upload leaves no rows, counters, files, provider objects or scheduled deletions. */
async function assertNothingLeft(teamId: string): Promise<void> {
  await runScheduledDeletions();
  const used = await db
    .selectFrom('team_usage')
    .select(['documents', 'characters'])
    .where('team_id', '=', teamId)
    .executeTakeFirst();
  const scheduled = await db.selectFrom('tombstones').select('ref').where('team_id', '=', teamId).execute();
  assert.deepEqual(await readStates(teamId), []);
  assert.deepEqual(used, { documents: 0, characters: 0 });
  assert.deepEqual(await listFiles(teamId), []);
  assert.deepEqual(await listProviderObjects(teamId), []);
  assert.deepEqual(scheduled, []);
}

const never = () => new Promise<never>(() => undefined);

const diskFull = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });

const failures: [string, typeof overrides, string][] = [
  ['the provider refuses', { put: () => Promise.reject(new Error('no')) }, 'provider_unavailable'],
  [
    'the database refuses the document',
    { documentsIn: 'database', put: () => Promise.reject(new Error('no')) },
    'storage_unavailable',
  ],
  ['the provider hangs', { put: never }, 'provider_unavailable'],
  [
    'the provider takes the document and its reply is lost',
    {
      put: async (real, tag, document, until) => {
        await real(tag, document, until);
        return never();
      },
    },
    'provider_unavailable',
  ],
  ['the file store is full', { stage: () => Promise.reject(diskFull) }, 'storage_full'],
  ['the file cannot be moved', { move: () => Promise.reject(new Error('EIO')) }, 'storage_unavailable'],
];

for (const [name, failing, reason] of failures) {
  test(`fails and cleans up when ${name}`, async () => {
    const teamId = await createTeam();
    overrides = failing;
    const startedAt = performance.now();
    const { status, body } = await upload({ teamId });
    const expected = reason === 'storage_full' ? 503 : 500;
    assert.deepEqual([status, body.code, body.details.reason], [expected, 'INTERNAL_ERROR', reason]);
    assert.ok(performance.now() - startedAt < 25_000);
    overrides = {};
    await assertNothingLeft(teamId);
  });
}

test('accepts letters beyond the BMP at every offset', async () => {
  const teamId = await createTeam();
  for (const word of ['𝗢𝗽𝗲𝗻𝗶𝗻𝗴𝘀', '𝑥𝑦𝑧𝑥𝑦𝑧𝑥', '😀'.repeat(9), '𐌰𐌱𐌲𐌳𐌴𐌵𐌶'])
    for (const before of ['', 'a', 'ab', 'abc']) {
      const content = `${word}\n\n${`${before}${word} ${before}${word.repeat(40)} `.repeat(30)}`;
      const { status, body } = await upload({ teamId, content });
      assert.equal(status, 200, JSON.stringify([word, before, body]));
    }
});

test('finds the result of a late provider call by its tag', async () => {
  const teamId = await createTeam();
  const proceed = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  overrides.put = async (real, tag, document) => {
    await proceed.promise;
    const stored = await real(tag, document, signal);
    arrived.resolve();
    return stored;
  };
  assert.equal((await upload({ teamId })).status, 500);
  proceed.resolve();
  await arrived.promise;
  assert.equal((await listProviderObjects(teamId)).length, 1);
  await assertNothingLeft(teamId);
});

test('retries with the same Idempotency-Key after a failure, and then replays the response', async () => {
  const teamId = await createTeam();
  const headers = { 'idempotency-key': 'upload-1' };
  overrides.put = () => Promise.reject(new Error('no'));
  assert.equal((await upload({ teamId }, { headers })).status, 500);
  overrides = {};
  const first = await upload({ teamId }, { headers });
  assert.equal(first.headers.get('idempotent-replayed'), null);
  const repeated = await upload({ teamId }, { headers });
  assert.equal(repeated.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(repeated.body, first.body);
  assert.deepEqual(await readStates(teamId), ['live']);
  for (const other of [
    { teamId, content: 'else' },
    { teamId, name: 'else.txt' },
    { teamId, chars: '9' },
  ]) {
    const { status, body } = await upload(other, { headers });
    assert.deepEqual([status, body.details.reason], [400, 'idempotency_mismatch']);
  }
});

test('accepts exactly as many concurrent uploads as the document quota allows', async () => {
  const teamId = await createTeam({ documents: 7 });
  const responses = await Promise.all(Array.from({ length: 20 }, () => upload({ teamId })));
  const refused = responses.filter(({ status }) => status === 400);
  assert.equal(responses.filter(({ status }) => status === 200).length, 7);
  assert.equal(refused.length, 13);
  for (const { body } of refused) {
    assert.deepEqual(body.details, {
      reason: 'quota_exceeded',
      quota: 'documents',
      used: 7,
      limit: 7,
      needed: 1,
    });
  }
  assert.equal((await readStates(teamId)).length, 7);
});

test('counts characters exactly and refunds a deletion', async () => {
  const teamId = await createTeam({ characters: 100 });
  const responses = await Promise.all(
    Array.from({ length: 12 }, () => upload({ teamId, content: 'ten chars!' })),
  );
  assert.equal(responses.filter(({ status }) => status === 200).length, 10);
  const over = await upload({ teamId, content: 'ten chars!' });
  assert.deepEqual(over.body.details, {
    reason: 'quota_exceeded',
    quota: 'characters',
    used: 100,
    limit: 100,
    needed: 10,
  });
  assert.match(
    over.body.error,
    /characters is 100, its use is 100, and this request needs 10 more; delete objects or raise the quota$/,
  );
  const stored = responses.find(({ status }) => status === 200);
  await api('DELETE', `/documents/${stored?.body.data.id}`);
  assert.equal((await upload({ teamId, content: 'ten chars!' })).status, 200);
  assert.equal((await upload({ teamId, content: 'x', chars: '2147483647' })).status, 400);
});

test('a quota below its use blocks only growth', async () => {
  const teamId = await createTeam({ characters: 10 });
  const { id } = (await upload({ teamId, content: 'ten chars!' })).body.data;
  await db.updateTable('teams').set({ quota_characters: 5 }).where('id', '=', teamId).execute();
  assert.equal((await upload({ teamId, content: 'x' })).body.details.quota, 'characters');
  assert.equal((await api('PATCH', `/documents/${id}`, { body: { name: 'b.txt' } })).status, 200);
});

test('undoes the upload of a dead process after two minutes', async () => {
  const teamId = await createTeam();
  const dead = Promise.withResolvers<void>();
  overrides.move = () => dead.promise;
  const uploading = upload({ teamId });
  await untilRow(teamId, 'ai_provider_id is not null');
  await run('reconcile-uploads');
  assert.deepEqual(await readStates(teamId), ['uploading'], 'a process may still be working on it');
  await sql`update documents set created_at = now() - interval '121 seconds' where team_id = ${teamId}`.execute(
    db,
  );
  await run('reconcile-uploads');
  await assertNothingLeft(teamId);
  dead.reject(new Error('gone'));
  await uploading;
});

test('does not wait for a team whose counters are locked before it undoes the upload of another team', async () => {
  const teams = [await createTeam(), await createTeam()];
  const [locked = '', other = ''] = teams;
  const dead = Promise.withResolvers<void>();
  overrides.move = () => dead.promise;
  const uploads = teams.map((teamId) => upload({ teamId }));
  for (const teamId of teams) await untilRow(teamId, 'ai_provider_id is not null');
  await sql`update documents set created_at = now() - interval '121 seconds' where state = 'uploading'`.execute(
    db,
  );
  await db.transaction().execute(async (tx) => {
    await sql`select from team_usage where team_id = ${locked} for update`.execute(tx);
    await promptly(async () => run('reconcile-uploads'));
    assert.deepEqual([await readStates(locked), await readStates(other)], [['uploading'], []]);
  });
  await run('reconcile-uploads');
  for (const teamId of teams) await assertNothingLeft(teamId);
  dead.reject(new Error('gone'));
  await Promise.all(uploads);
});

test('fails an upload that was reconciled while it ran, and cleans up', async () => {
  const teamId = await createTeam();
  const proceed = Promise.withResolvers<void>();
  overrides.move = () => proceed.promise;
  const slow = upload({ teamId });
  await untilRow(teamId, 'ai_provider_id is not null');
  await sql`update documents set created_at = now() - interval '121 seconds' where team_id = ${teamId}`.execute(
    db,
  );
  await run('reconcile-uploads');
  proceed.resolve();
  const { status, body } = await slow;
  assert.deepEqual([status, body.details.reason], [500, 'upload_interrupted']);
  await assertNothingLeft(teamId);
});

test('cleans up an upload whose team is deleted in the meantime', async () => {
  const teamId = await createTeam();
  overrides.put = async (real, ...call) => {
    await api('DELETE', `/teams/${teamId}`);
    return real(...call);
  };
  const { status, body } = await upload({ teamId });
  assert.deepEqual(
    [status, body.details.issues?.[0].path],
    [400, 'team_id'],
    'as for a team that was deleted before',
  );
  await runScheduledDeletions();
  assert.deepEqual(
    [await listFiles(teamId), await listProviderObjects(teamId), await readStates(teamId)],
    [[], [], []],
  );
});

test('reports an unknown team when the team was deleted with the staged file', async () => {
  const teamId = await createTeam();
  overrides.move = async () => {
    await api('DELETE', `/teams/${teamId}`);
    await runScheduledDeletions();
  };
  const { status, body } = await upload({ teamId });
  assert.deepEqual([status, body.details.issues?.[0].path], [400, 'team_id']);
  await runScheduledDeletions();
  assert.deepEqual(
    [await listFiles(teamId), await listProviderObjects(teamId), await readStates(teamId)],
    [[], [], []],
  );
});

test('marks a processing document as ready, or as failed after an hour', async () => {
  overrides.status = async () => 'processing';
  const teamId = await createTeam();
  const { id } = (await upload({ teamId })).body.data;
  const pollStatus = async () => {
    await sql`update documents set provider_asked_at = null`.execute(db);
    await run('ask-for-readiness');
    return (await api('GET', `/documents/${id}`)).body.data.provider_status;
  };
  assert.equal(await pollStatus(), 'processing');
  overrides.status = () => Promise.reject(new Error('not now'));
  assert.equal(await pollStatus(), 'processing');
  const { rows } = await sql`select from graphile_worker.jobs where key = 'ask-for-readiness'`.execute(db);
  assert.equal(rows.length, 1);
  overrides = {};
  assert.equal(await pollStatus(), 'ready');
  overrides.status = async () => 'processing';
  const late = (await upload({ teamId })).body.data;
  await sql`update documents set created_at = now() - interval '61 minutes' where id = ${late.id}`.execute(
    db,
  );
  await pollStatus();
  assert.equal((await api('GET', `/documents/${late.id}`)).body.data.provider_status, 'failed');
});

test('accepts a file of exactly the limit, rejects one byte more and keeps the connection open', async () => {
  const teamId = await createTeam();
  // Few words, because the provider has one second in this test.
  const content = 'Bicycles'.padEnd(maxUploadBytes);
  assert.equal((await upload({ teamId, content })).status, 200);
  for (const length of [maxUploadBytes + 1, maxUploadBytes * 20]) {
    const { status, body } = await upload({ teamId, content: 'a'.repeat(length) });
    assert.deepEqual([status, body.details], [400, { reason: 'file_too_large', limit: maxUploadBytes }]);
  }
});

const boundary = 'x5f3';
const partsUpTo = (end: string) =>
  [
    `--${boundary}`,
    'content-disposition: form-data; name="file"; filename="a.txt"',
    'content-type: text/plain',
    '',
    `Bicycles${end}`,
  ].join('\r\n');

/** Sends the body unchanged and returns the response. */
async function sendRaw(
  body: string,
  contentType = `multipart/form-data; boundary=${boundary}`,
): Promise<string> {
  const { port, hostname } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.write(
    [
      'POST /api/openapi/v1/documents HTTP/1.1',
      'host: localhost',
      `authorization: Bearer ${key.token}`,
      `content-type: ${contentType}`,
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  const [response] = await once(socket, 'data');
  socket.destroy();
  return String(response);
}

const malformed: [string, string, string?][] = [
  ['a body cut off inside a file', partsUpTo('')],
  ['a body cut off after a part', partsUpTo(`\r\n--${boundary}`)],
  ['no parts at all', ''],
  ['no boundary', partsUpTo(`\r\n--${boundary}--\r\n`), 'multipart/form-data'],
  ['JSON', '{}', 'application/json'],
  ['a forbidden part name', partsUpTo(`\r\n--${boundary}--\r\n`).replace('name="file"', 'name="__proto__"')],
];

for (const [name, body, contentType] of malformed) {
  test(`rejects ${name} as a bad request`, async () => {
    const response = await sendRaw(body, contentType);
    assert.match(response, /^HTTP\/1\.1 400 /);
    assert.match(response, /"code":"BAD_REQUEST"/);
  });
}

async function untilRow(teamId: string, condition: string): Promise<void> {
  await eventually(async () => {
    const { rows } = await sql`
      select from documents where team_id = ${teamId} and ${sql.raw(condition)}`.execute(db);
    assert.equal(rows.length, 1);
  });
}
