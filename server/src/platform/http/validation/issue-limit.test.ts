import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../../test/harness.ts';
import { invalidInput } from '../errors.ts';

const { api, baseUrl } = await startTestApp();
const bot = `/bots/${crypto.randomUUID()}`;

interface Refusal {
  error: string;
  details: { reason: string; issues: { path: string; message: string }[]; more_issues?: true };
}

/** The error response to a body, and its size in bytes. */
async function refusalOf(method: string, path: string, body: unknown): Promise<Refusal & { bytes: number }> {
  const answer = await api(method, path, { body });
  assert.deepEqual([answer.status, answer.body.details.reason], [400, 'validation'], path);
  const { error, details } = answer.body;
  return { error, details, bytes: Buffer.byteLength(JSON.stringify(answer.body)) };
}

const many = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));

const manyMembers = (count: number, value: unknown): object =>
  Object.fromEntries(many(count, (n) => [`m${n}`, value]));

const most = 64 * 1024;

test('reports only the length of a list that is too long', async () => {
  const lists: [string, string, string, object, number][] = [
    ['PATCH', bot, 'questions', {}, 500],
    ['PATCH', bot, 'questions', { question: '\0', answer: '\0' }, 500],
    ['PATCH', bot, 'actions', {}, 50],
    ['PATCH', bot, 'document_ids', [], 100],
    ['POST', `${bot}/ask`, 'history', {}, 50],
  ];
  for (const [method, path, list, item, limit] of lists) {
    const body = { question: 'Why?', [list]: many(20_000, () => item) };
    const { details, error } = await refusalOf(
      method,
      path,
      method === 'POST' ? body : { ...body, question: undefined },
    );
    const fault = { path: list, message: `must have at most ${limit} items` };
    assert.deepEqual(details, { reason: 'validation', issues: [fault] });
    assert.equal(error, `Invalid request: ${list} ${fault.message}`);
  }
});

test('does not run rules on values over a limit', async () => {
  const id = crypto.randomUUID();
  const action = { id, name: 'Order', endpoint: 'ftp://example.com' };
  const { details } = await refusalOf('PATCH', bot, { actions: many(51, () => action) });
  assert.deepEqual(details.issues, [{ path: 'actions', message: 'must have at most 50 items' }]);
  const headers = manyMembers(51, 'a\u0001');
  const { details: ofHeaders } = await refusalOf('PATCH', bot, {
    actions: [{ name: 'Order', endpoint: 'https://example.com', headers }],
  });
  assert.deepEqual(ofHeaders.issues, [
    { path: 'actions[0].headers', message: 'must have at most 50 fields' },
  ]);
});

test('reports the first 100 issues and whether there are more', async () => {
  const questions = (faults: number) => ({
    questions: many(faults, () => ({ question: '', answer: 'So' })),
  });
  const { details, error } = await refusalOf('PATCH', bot, questions(100));
  assert.deepEqual(Object.keys(details), ['reason', 'issues']);
  assert.deepEqual(
    details.issues.map(({ path }) => path),
    many(100, (n) => `questions[${n}].question`),
  );
  assert.equal(
    error,
    `Invalid request: ${details.issues.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
  );
  const beyond = await refusalOf('PATCH', bot, questions(101));
  assert.deepEqual(beyond.details, { ...details, more_issues: true });
  assert.equal(beyond.error, `${error}; and more`);
  // Issues of the bot come before issues of its lists.
  const both = await refusalOf('PATCH', bot, { ...questions(500), name: '', break_lines: 1 });
  assert.equal(both.details.issues.length, 100);
  assert.deepEqual(
    both.details.issues.slice(0, 3).map(({ path }) => path),
    ['break_lines', 'name', 'questions[0].question'],
  );
});

test('reports unknown members up to the limit, also without a token', async () => {
  const members = manyMembers(20_000, 1);
  // Fits the 4 KiB of a body without a token.
  const fewerMembers = manyMembers(300, 1);
  const response = await fetch(`${baseUrl}/api/openapi/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fewerMembers),
  });
  const text = await response.text();
  assert.equal(response.status, 400);
  assert.ok(text.length < most, `${text.length}`);
  const { details } = JSON.parse(text) as Refusal;
  assert.deepEqual([details.issues.length, details.more_issues], [100, true]);
  assert.deepEqual(
    details.issues.filter(({ message }) => message === 'is required').map(({ path }) => path),
    ['key_id', 'key_secret'],
  );
  for (const body of [
    members,
    { questions: many(500, () => manyMembers(40, 1)) },
    { zz: many(20_000, () => '\0') },
    { actions: many(50, () => ({ body: many(100, () => ({})) })) },
  ]) {
    const refusal = await refusalOf('PATCH', bot, body);
    assert.deepEqual([refusal.details.issues.length, refusal.details.more_issues], [100, true]);
    assert.ok(refusal.bytes < most);
  }
  const parameters = many(1000, (n) => `p${n}=1`).join('&');
  const { body: refused } = await api('GET', `/bots?${parameters}`);
  assert.deepEqual([refused.details.issues.length, refused.details.more_issues], [100, true]);
});

test('reports rule issues up to the limit', async () => {
  const all = many(50, () => ({ key: ' ', value: 'x' }));
  const actions = many(50, () => ({ name: 'Order', endpoint: 'https://example.com', headers: { all } }));
  const { details, bytes } = await refusalOf('PATCH', bot, { actions });
  assert.deepEqual([details.issues.length, details.more_issues], [100, true]);
  assert.ok(
    details.issues.every(({ path }) => path === 'actions[0].headers' || path === 'actions[1].headers'),
  );
  assert.ok(bytes < most);
});

test('truncates paths to 200 characters', async () => {
  const name = 'n'.repeat(100_000);
  const { details, bytes } = await refusalOf('PATCH', bot, {
    [name]: ['\0'],
    actions: [{ name: 'Order', endpoint: 'https://example.com', headers: { [name]: 1 } }],
  });
  assert.deepEqual(
    details.issues.map(({ path }) => path),
    [`actions[0].headers.${'n'.repeat(180)}…`, `${'n'.repeat(199)}…`, `${'n'.repeat(199)}…`],
  );
  assert.ok(bytes < 2048);
});

test('keeps a response small even if JSON escapes make its text longer', async () => {
  const members = Object.fromEntries(many(100, (n) => [`${'\u0001'.repeat(150)}${n}`, 1]));
  const { details, bytes } = await refusalOf('PATCH', bot, members);
  assert.ok(details.issues.length > 10 && details.issues.length < 100);
  assert.equal(details.more_issues, true);
  assert.ok(bytes < most, `${bytes}`);
});

test('truncates a long message', () => {
  const { details, message } = invalidInput([
    { path: 'plan_name', message: `one of ${'plan, '.repeat(9000)}` },
  ]);
  assert.deepEqual(Object.keys(details ?? {}), ['reason', 'issues']);
  assert.match(message, /^Invalid request: plan_name one of plan, plan.*…$/);
  assert.ok(message.length < 10_000);
});
