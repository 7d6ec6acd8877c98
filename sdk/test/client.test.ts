import assert from 'node:assert/strict';
import { openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createParley, type Exchange, isParleyError, ParleyError } from '@parley/sdk';
import { eventually } from '../../server/test/eventually.ts';
import { createTokens } from '../src/access-token.ts';
import { startFaultyProxy } from './faulty-proxy.ts';
import { key, startTestService } from './service.ts';

const serviceUrl = await startTestService();
const proxy = await startFaultyProxy(serviceUrl);
const parley = createParley({ baseUrl: proxy.url, key });
const handbook = fileURLToPath(new URL('../../scripts/demo/documents/handbook.pdf', import.meta.url));
const teamsPath = '/api/openapi/v1/teams';

const newTeam = (name: string) => ({
  user: { name: 'Front office', email: 'office@lumen-bikes.example' },
  team: { name },
});

const { team } = await parley.createTeam(newTeam('Lumen Bikes'));

const requestsTo = (path: string) => proxy.seen.filter((request) => request.path === path);

/** Returns the requests to `path` that `run` makes. */
async function collect(path: string, run: () => Promise<unknown>) {
  const before = requestsTo(path).length;
  await run();
  return requestsTo(path).slice(before);
}

const rejectionOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail('the call succeeded'),
    (error: unknown) => error,
  );

test('exchanges the key once for concurrent calls', async () => {
  const fresh = createParley({ baseUrl: proxy.url, key });

  const exchanges = await collect('/api/openapi/auth/token', () =>
    Promise.all([fresh.listTeams(), fresh.listPlans(), fresh.listBots()]),
  );

  assert.equal(exchanges.length, 1);
});

test('exchanges the key again when the service refuses the token', async () => {
  const other = await parley.createApiKey({ name: 'Integration' });
  const client = createParley({ baseUrl: proxy.url, key: other });
  await client.getTeam({ id: team.id });
  // Deactivation revokes the token for good, also after the activation.
  await parley.updateApiKey({ keyId: other.key_id, is_active: false });
  await parley.updateApiKey({ keyId: other.key_id, is_active: true });

  const exchanges = await collect('/api/openapi/auth/token', async () => {
    const before = requestsTo('/api/openapi/auth/token').length;
    // Other processes learn of the revocation within 5 seconds.
    await eventually(async () => {
      await client.getTeam({ id: team.id });
      assert.equal(requestsTo('/api/openapi/auth/token').length, before + 1);
    });
  });

  assert.equal(exchanges.length, 1);
});

test('renews the token before it expires', async () => {
  const exchanged = JSON.stringify({ data: { access_token: await parley.getToken(), expires_in: 59 } });
  proxy.fail('/api/openapi/auth/token', { kind: 'refuse', status: 200, body: exchanged });
  const client = createParley({ baseUrl: proxy.url, key });

  const exchanges = await collect('/api/openapi/auth/token', () => client.getTeam({ id: team.id }));

  assert.equal(exchanges.length, 2, 'a token that expires within a minute is replaced at once');
});

test('works with a ready token, and reports 401 when it is refused', async () => {
  const client = createParley({ baseUrl: proxy.url, token: await parley.getToken() });
  assert.equal((await client.getTeam({ id: team.id })).name, 'Lumen Bikes');

  const stranger = createParley({ baseUrl: proxy.url, token: 'no-token' });
  const error = await rejectionOf(stranger.getTeam({ id: team.id }));

  assert.ok(isParleyError(error));
  assert.equal(error.status, 401);
  assert.equal(error.code, 'UNAUTHORIZED');
});

test('throws errors with status, reason, details and request id', async () => {
  const missing = await rejectionOf(
    parley.getTeam({ id: '01890000-0000-7000-8000-000000000000' }, { requestId: 'support-4711' }),
  );
  assert.ok(isParleyError(missing, 'team_not_found'));
  assert.equal(missing.status, 404);
  assert.equal(missing.message, 'The team does not exist, or the API key may not see it');
  assert.equal(missing.requestId, 'support-4711');

  const invalid = await rejectionOf(parley.createTeam({ ...newTeam(''), team: { name: '' } }));
  assert.ok(isParleyError(invalid, 'validation'));
  assert.equal(isParleyError(invalid, 'team_not_found'), false);
  assert.deepEqual(
    invalid.details.issues.map(({ path }) => path),
    ['team.name'],
  );
});

test('names a wrong address, missing credentials and a file without a name', async () => {
  const key = { key_id: 'pk_1', key_secret: 'sk_1' };
  for (const baseUrl of ['127.0.0.1:3000', 'localhost:3000', ''])
    assert.throws(() => createParley({ baseUrl, key }), /baseUrl must be like https:/, baseUrl);
  // As a program without types would call it.
  const incomplete = { baseUrl: 'http://127.0.0.1:3000' } as Parameters<typeof createParley>[0];
  assert.throws(() => createParley(incomplete), /createParley needs a key or a token/);
  const file = new Blob(['Hours']) as File;
  await assert.rejects(parley.uploadDocument({ team_id: crypto.randomUUID(), file }), {
    message: 'file must be a File, or have content and filename',
  });
  const unreachable = createParley({ baseUrl: 'http://127.0.0.1:1', key, maxRetries: 0 });
  const refused = await rejectionOf(unreachable.listTeams());
  assert.match(String(refused), /failed: fetch failed \(\S.+\)$/);
});

test('reads the error body of a send', async () => {
  const { team: free } = await parley.createTeam({
    ...newTeam('Free'),
    team: { name: 'Free', plan_name: 'free' },
  });
  const bot = await parley.createBot({ team_id: free.id, name: 'Lumen' });
  const device = await parley.createDevice({ team_id: free.id, bot_id: bot.id, name: 'Front desk' });

  const error = await rejectionOf(
    parley.sendMessage({ device_id: device.id, destination_number: '+15550199', message: 'Hello' }),
  );

  assert.ok(isParleyError(error, 'active_messaging_not_in_plan'));
  assert.equal(error.code, 'FEATURE_NOT_AVAILABLE');
  assert.equal(
    error.message,
    "Active messaging is not in the team's plan; move the team to a plan that has it",
  );
});

test('creates one team when the response of the first attempt is lost', async () => {
  proxy.fail(teamsPath, { kind: 'lose' }, { kind: 'lose' });

  const attempts = await collect(teamsPath, () => parley.createTeam(newTeam('Created once')));

  assert.equal(attempts.length, 3);
  assert.equal(new Set(attempts.map(({ headers }) => headers['idempotency-key'])).size, 1);
  assert.equal(new Set(attempts.map(({ headers }) => headers['x-request-id'])).size, 1);
  assert.equal((await parley.listTeams({ name: 'Created once' })).meta.total, 1);
});

test('gives every call a key of its own, or the key of the caller', async () => {
  const attempts = await collect(teamsPath, async () => {
    await parley.createTeam(newTeam('Twice'));
    await parley.createTeam(newTeam('Twice'));
    const options = { idempotencyKey: 'order-4711' };
    const first = await parley.createTeam(newTeam('Once'), options);
    const again = await parley.createTeam(newTeam('Once'), options);
    assert.equal(again.team.id, first.team.id);
  });
  assert.equal(new Set(attempts.map(({ headers }) => headers['idempotency-key'])).size, 3);
});

test('does not repeat a request whose repetition could do something twice', async () => {
  const bot = await parley.createBot({ team_id: team.id, name: 'Lumen' });
  const path = `/api/openapi/v1/bots/${bot.id}/ask`;
  proxy.fail(path, { kind: 'lose' });

  const attempts = await collect(path, async () => {
    const error = await rejectionOf(parley.askBot({ id: bot.id, question: 'Do you lend helmets?' }));
    assert.ok(isParleyError(error, 'connection_failed'));
    assert.equal(error.status, 0);
  });

  assert.equal(attempts.length, 1);
});

test('repeats a POST without a key after a 503 of the service, but not of a proxy', async () => {
  const bot = await parley.createBot({ team_id: team.id, name: 'Lumen' });
  const path = `/api/openapi/v1/bots/${bot.id}/ask`;
  const ask = () => parley.askBot({ id: bot.id, question: 'Do you lend helmets?', version: 'draft' });
  const headers = { 'retry-after': '0' };
  const refusal = {
    success: false,
    error: 'Stopping',
    code: 'INTERNAL_ERROR',
    details: { reason: 'stopping' },
  };

  proxy.fail(path, { kind: 'refuse', status: 503, headers, body: JSON.stringify(refusal) });
  assert.equal((await collect(path, ask)).length, 2);

  proxy.fail(path, { kind: 'refuse', status: 503, headers });
  const attempts = await collect(path, async () => {
    const error = await rejectionOf(ask());
    assert.ok(isParleyError(error));
    assert.equal(error.status, 503);
  });
  assert.equal(attempts.length, 1);
});

test('waits as long as Retry-After says', async () => {
  proxy.fail(teamsPath, { kind: 'refuse', status: 503, headers: { 'retry-after': '1' } });

  const attempts = await collect(teamsPath, () => parley.listTeams());

  const [first, second] = attempts.map(({ at }) => at);
  assert.equal(attempts.length, 2);
  assert.ok((second ?? 0) - (first ?? 0) >= 990, `waited ${(second ?? 0) - (first ?? 0)} ms`);
});

test('throws at once if Retry-After is longer than the caller wants to wait', async () => {
  proxy.fail(teamsPath, { kind: 'refuse', status: 429, headers: { 'retry-after': '3600' } });

  const attempts = await collect(teamsPath, async () => {
    const error = await rejectionOf(parley.listTeams());
    assert.ok(isParleyError(error));
    assert.equal(error.retryAfter, 3600);
  });

  assert.equal(attempts.length, 1);
});

test('gives up after the given number of retries, with the last error', async () => {
  const client = createParley({ baseUrl: proxy.url, key, maxRetries: 2 });
  await client.getToken();
  const refusal = { kind: 'refuse', status: 503, headers: { 'retry-after': '0' } } as const;
  proxy.fail(teamsPath, refusal, refusal, refusal);

  const attempts = await collect(teamsPath, async () => {
    const error = await rejectionOf(client.listTeams());
    assert.ok(error instanceof ParleyError);
    assert.equal(error.status, 503);
  });

  assert.equal(attempts.length, 3);
  assert.ok((await parley.listTeams()).meta.total > 0, 'all planned faults were used');
});

test('ends an attempt after its timeout, and a wait when the caller aborts', async () => {
  const token = await parley.getToken();
  const hasty = createParley({ baseUrl: proxy.url, token, maxRetries: 0, timeoutMs: 300 });
  proxy.fail(teamsPath, { kind: 'hang' });
  const late = await rejectionOf(hasty.listTeams());
  assert.ok(isParleyError(late, 'timeout'));

  proxy.fail(teamsPath, { kind: 'refuse', status: 503, headers: { 'retry-after': '20' } });
  const controller = new AbortController();
  const leaving = createParley({
    baseUrl: proxy.url,
    token,
    onResponse: () => setImmediate(() => controller.abort(new Error('the user left'))),
  });
  const error = await rejectionOf(leaving.listTeams({}, { signal: controller.signal }));
  assert.match(String(error), /the user left/);
});

test('ends a call that waits for the exchange of the key when the caller aborts', async () => {
  const tokenPath = '/api/openapi/auth/token';
  const client = createParley({ baseUrl: proxy.url, key, timeoutMs: 1_000, maxRetries: 0 });
  proxy.fail(tokenPath, { kind: 'hang' });
  const before = requestsTo(tokenPath).length;
  const controller = new AbortController();
  const leaving = rejectionOf(client.listTeams({}, { signal: controller.signal }));
  const staying = rejectionOf(client.listTeams());
  await eventually(async () => assert.equal(requestsTo(tokenPath).length, before + 1));

  controller.abort(new Error('the user left'));

  assert.match(String(await leaving), /the user left/);
  assert.ok(isParleyError(await staying, 'timeout'), 'the other call waits on');
});

test('keeps a token that another call renewed', async () => {
  let exchanges = 0;
  const tokens = createTokens({ baseUrl: proxy.url, key }, async () => {
    exchanges += 1;
    return { access_token: `token ${exchanges}`, expires_in: 3600 };
  });
  const refused = await tokens.get();
  tokens.discard(refused);
  const renewing = tokens.get();
  tokens.discard(refused);
  assert.equal(await tokens.get(), 'token 2');
  tokens.discard(refused);

  assert.equal(await tokens.get(), await renewing);
  assert.equal(exchanges, 2);
});

test('iterates over the items of all pages', async () => {
  const names = Array.from({ length: 7 }, (_, n) => `Paged ${n}`);
  for (const name of names) await parley.createTeam(newTeam(name));

  const page = await parley.listTeams({ name: 'Paged', limit: 3 });
  assert.equal(page.data.length, 3);
  assert.equal(page.meta.total, 7);

  const found: string[] = [];
  const requests = await collect(teamsPath, async () => {
    for await (const { name } of parley.listTeams({ name: 'Paged', limit: 3 })) found.push(name);
  });
  assert.deepEqual(found, names.toReversed());
  assert.equal(requests.length, 3);
});

test('uploads a file, a Blob and a stream, and downloads the same bytes', async () => {
  const file = new File([await readFile(handbook)], 'handbook.pdf');
  const blob = { content: await openAsBlob(handbook), filename: 'handbook.pdf' };
  const stream = { content: (await openAsBlob(handbook)).stream(), filename: 'handbook.pdf' };
  for (const upload of [file, blob, stream]) {
    proxy.fail('/api/openapi/v1/documents', { kind: 'lose' });
    const document = await parley.uploadDocument({ team_id: team.id, file: upload, chars: undefined });
    assert.equal(document.name, 'handbook.pdf');
    const content = await parley.getDocumentContent({ id: document.id });
    assert.deepEqual(Buffer.from(await content.arrayBuffer()), await readFile(handbook));
  }
  assert.equal((await parley.listDocuments({ team_id: team.id })).meta.total, 3);
});

test('reports every attempt, and returns meta beside data', async () => {
  const exchanges: Exchange[] = [];
  const observed = createParley({
    baseUrl: proxy.url,
    key,
    onResponse: (exchange) => exchanges.push(exchange),
  });
  await observed.getToken();
  exchanges.length = 0;
  proxy.fail(teamsPath, { kind: 'refuse', status: 503, headers: { 'retry-after': '0' } });
  await observed.listTeams({ limit: 1 });
  assert.deepEqual(
    exchanges.map(({ method, status, attempt }) => ({ method, status, attempt })),
    [
      { method: 'GET', status: 503, attempt: 1 },
      { method: 'GET', status: 200, attempt: 2 },
    ],
  );
  assert.equal(exchanges[0]?.requestId, exchanges[1]?.requestId);

  const { data: documents } = await parley.listDocuments({ team_id: team.id });
  const { data, meta } = await parley.renameDocument({ id: documents[0]?.id ?? '', name: 'prices.pdf' });
  assert.equal(data.name, 'prices.pdf');
  assert.deepEqual(meta.changes, ['name']);
});

test('refuses a call without a member of its path, and sends any other request', async () => {
  await assert.rejects(parley.getTeam({} as { id: string }), /GET \/v1\/teams\/\{id\} needs id/);
  const phones = await parley.request<unknown[]>({
    method: 'GET',
    path: '/simulator/messages',
    query: { contact: '+15550199', device: '+15550100' },
  });
  assert.deepEqual(phones, []);
});
