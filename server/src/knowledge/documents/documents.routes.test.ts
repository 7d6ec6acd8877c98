import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { makePdf, textLines } from '../../../test/documents/make-pdf.ts';
import { startUploadApp } from '../../../test/upload-app.ts';

const { api, createTeam, upload, issueKey, context, fileStore } = await startUploadApp();
const { db } = context;

const readUsage = (teamId: string) =>
  db
    .selectFrom('team_usage')
    .select(['documents', 'characters'])
    .where('team_id', '=', teamId)
    .executeTakeFirstOrThrow();

test('describes, counts and stores an uploaded document, and sends it to the provider', async () => {
  const teamId = await createTeam();
  const { status, body } = await upload({ teamId, name: 'Überblick 📄.txt', content: 'Räder' });
  assert.equal(status, 200);
  const document = body.data;
  assert.equal(document.team_id, teamId);
  assert.equal(document.name, 'Überblick 📄.txt');
  assert.equal(document.type, 'txt');
  assert.equal(document.size, 6);
  assert.equal(document.chars, 5);
  assert.equal(document.provider_status, 'ready');
  assert.equal(document.file_url, `${teamId}/${document.ai_provider_id}.txt`);
  assert.equal(Buffer.from((await fileStore.get(document.file_url)) ?? []).toString(), 'Räder');
  for await (const key of fileStore.list('staged')) assert.fail(key);
  assert.deepEqual(await readUsage(teamId), { documents: 1, characters: 5 });
  const { signal } = new AbortController();
  assert.equal(await context.provider.documentStatus(document.ai_provider_id, signal), 'ready');
  assert.deepEqual((await api('GET', `/documents/${document.id}`)).body.data, document);
});

test('reads a PDF', async () => {
  const teamId = await createTeam();
  const content = new Uint8Array(await makePdf([textLines(['Bicycles at the harbour'])]));
  const { body } = await upload({ teamId, name: 'rental.pdf', content });
  assert.equal(body.data.type, 'pdf');
  assert.equal(body.data.chars, 'Bicycles at the harbour'.length);
});

const fixture = (name: string) =>
  readFile(new URL(`../../../test/fixtures/documents/${name}`, import.meta.url));
const extensionTypes: [name: string, content: string | Uint8Array<ArrayBuffer>, mediaType: string][] = [
  ['prices.md', '| Boat | Price |\n|---|---|\n| Kayak | 12 |', 'text/markdown'],
  ['prices.html', '<table><tr><th>Boat<th>Price<tr><td>Kayak<td>12</table>', 'text/html'],
  ['prices.csv', 'Boat,Price\nKayak,12\n', 'text/csv'],
  [
    'harbour.xlsx',
    new Uint8Array(await fixture('harbour.xlsx')),
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ],
  [
    'tours.pptx',
    new Uint8Array(await fixture('tours.pptx')),
    'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  ],
];
for (const [name, content, mediaType] of extensionTypes) {
  test(`reads ${name} in an isolated reader, lists it by its type and sends it as ${mediaType}`, async () => {
    const teamId = await createTeam();
    const { status, body } = await upload({ teamId, name, content });
    assert.equal(status, 200, JSON.stringify(body));
    const { id, type, chars, provider_status } = body.data;
    assert.deepEqual([type, provider_status, chars > 10], [name.split('.').at(-1), 'ready', true]);
    const listed = await api('GET', `/documents?team_id=${teamId}&type=${type}`);
    assert.deepEqual(listed.body.data, [body.data]);
    const file = await api('GET', `/documents/${id}/content`);
    assert.deepEqual([file.status, file.headers.get('content-type')], [200, mediaType]);
  });
}

test('stores the declared characters, and charges the larger of declared and extracted', async () => {
  const teamId = await createTeam();
  const fewer = await upload({ teamId, content: 'twelve chars', chars: '3' });
  assert.equal(fewer.body.data.chars, 3);
  assert.equal((await readUsage(teamId)).characters, 12);
  const more = await upload({ teamId, content: 'twelve chars', chars: '100' });
  assert.equal(more.body.data.chars, 100);
  assert.equal((await readUsage(teamId)).characters, 112);
});

test('accepts parts in any order', async () => {
  const teamId = await createTeam();
  const body = new FormData();
  body.append('chars', '7');
  body.append('file', new Blob(['words']), 'a.txt');
  body.append('team_id', teamId.toUpperCase());
  const response = await api('POST', '/documents', { body });
  assert.deepEqual([response.status, response.body.data.team_id, response.body.data.chars], [200, teamId, 7]);
});

test('reports every issue of the form in one response', async () => {
  const body = new FormData();
  body.append('team_id', 'mine');
  body.append('chars', '1.5');
  body.append('colour', 'red');
  body.append('file', 'just text');
  const { status, body: response } = await api('POST', '/documents', { body });
  assert.equal(status, 400);
  assert.deepEqual(response.details.issues.map((issue: { path: string }) => issue.path).sort(), [
    'chars',
    'colour',
    'file',
    'file',
    'team_id',
  ]);
});

const file = (form: FormData, name = 'a.txt') => form.append('file', new Blob(['words']), name);
const forms: [string, (form: FormData, teamId: string) => void, string][] = [
  ['no file', (form, teamId) => form.append('team_id', teamId), 'file is required'],
  ['no team', (form) => file(form), 'team_id is required'],
  [
    'two files',
    (form, teamId) => {
      form.append('team_id', teamId);
      file(form);
      file(form, 'b.txt');
    },
    'file is given more than once',
  ],
  [
    'two teams',
    (form, teamId) => {
      form.append('team_id', teamId);
      form.append('team_id', teamId);
      file(form);
    },
    'team_id is given more than once',
  ],
  [
    'a team that is a file',
    (form, teamId) => {
      form.append('team_id', new Blob([teamId]), 'team.txt');
      file(form);
    },
    'team_id must be a field, not a file',
  ],
  [
    'a field longer than any',
    (form) => {
      form.append('team_id', 'x'.repeat(2_000));
      file(form);
    },
    'team_id must be short, plain text',
  ],
  [
    'negative characters',
    (form, teamId) => {
      form.append('team_id', teamId);
      form.append('chars', '-1');
      file(form);
    },
    'chars must be a whole number',
  ],
  [
    'more characters than a number holds',
    (form, teamId) => {
      form.append('team_id', teamId);
      form.append('chars', '2147483648');
      file(form);
    },
    'chars must be a whole number',
  ],
];

for (const [name, fill, said] of forms) {
  test(`rejects an upload with ${name}`, async () => {
    const form = new FormData();
    fill(form, await createTeam());
    const { status, body } = await api('POST', '/documents', { body: form });
    assert.equal(status, 400);
    assert.equal(body.details.reason, 'validation');
    assert.match(body.error, new RegExp(said));
  });
}

test('rejects an upload with too many parts', async () => {
  const form = new FormData();
  for (let part = 0; part < 50; part += 1) form.append(`part${part}`, 'x');
  assert.equal((await api('POST', '/documents', { body: form })).status, 400);
});

test('rejects an unknown team and the team of another caller, naming the path', async () => {
  const [mine, other] = [await createTeam(), await createTeam()];
  const { token } = await issueKey({ teamId: mine });
  for (const response of [
    await upload({ teamId: crypto.randomUUID() }),
    await upload({ teamId: other }, { token }),
  ]) {
    assert.equal(response.status, 400);
    assert.deepEqual(response.body.details.issues, [
      { path: 'team_id', message: 'must be the id of a team that the API key may see' },
    ]);
  }
  assert.equal((await upload({ teamId: mine }, { token })).status, 200);
});

const refused: [string, string, string | Uint8Array<ArrayBuffer>, string][] = [
  ['an empty file', 'a.txt', '', 'empty_file'],
  [
    'an unknown type',
    'a.png',
    new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0xd, 0xa, 0x1a, 0xa, 0, 0]),
    'unknown_type',
  ],
  ['content and name at odds', 'a.pdf', 'only text', 'type_mismatch'],
  ['no extension', 'readme', 'only text', 'type_mismatch'],
  ['a name too long', `${'a'.repeat(255)}.txt`, 'text', 'name_too_long'],
  ['a damaged PDF', 'a.pdf', '%PDF-1.7 and nothing more', 'unreadable'],
];

for (const [name, fileName, content, reason] of refused) {
  test(`rejects ${name} without a charge`, async () => {
    const teamId = await createTeam();
    const { status, body } = await upload({ teamId, name: fileName, content });
    assert.deepEqual([status, body.code, body.details?.reason], [400, 'BAD_REQUEST', reason]);
    assert.deepEqual(await readUsage(teamId), { documents: 0, characters: 0 });
  });
}

test('lists the supported types when it rejects a file', async () => {
  const teamId = await createTeam();
  const { body } = await upload({
    teamId,
    name: 'a.png',
    content: new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0]),
  });
  assert.deepEqual(body.details, {
    reason: 'unknown_type',
    supported: ['pdf', 'txt', 'docx', 'doc', 'md', 'html', 'csv', 'xlsx', 'pptx'],
  });
});

test('names a document after the last part of its path', async () => {
  const teamId = await createTeam();
  const { body } = await upload({ teamId, name: '..\\..\\secret\\plan.txt' });
  assert.equal(body.data.name, 'plan.txt');
});

test('filters a list by team, part of the name and type, newest first', async () => {
  const [teamId, other] = [await createTeam(), await createTeam()];
  const ids: string[] = [];
  for (const name of ['One.txt', 'two_%.txt', 'Another one.txt']) {
    ids.unshift((await upload({ teamId, name })).body.data.id);
  }
  await upload({ teamId: other, name: 'one.txt' });
  const list = async (query: string, token?: string) => {
    const { body } = await api('GET', `/documents?${query}`, token === undefined ? {} : { token });
    return body.data.map((document: { id: string }) => document.id);
  };
  assert.deepEqual(await list(`team_id=${teamId}`), ids);
  assert.deepEqual(await list(`team_id=${teamId}&name=ONE`), [ids[0], ids[2]]);
  assert.deepEqual(await list(`team_id=${teamId}&name=%25`), [ids[1]]);
  assert.deepEqual(await list(`team_id=${teamId}&type=pdf`), []);
  assert.deepEqual(await list(`team_id=${crypto.randomUUID()}`), []);
  const { token } = await issueKey({ teamId });
  assert.deepEqual(await list('', token), ids);
  assert.deepEqual(await list(`team_id=${other}`, token), []);
  const { body } = await api('GET', `/documents?team_id=${teamId}&page=2&limit=2`);
  assert.deepEqual(body.meta, { page: 2, limit: 2, total: 3, totalPages: 2 });
  assert.deepEqual(
    body.data.map((document: { id: string }) => document.id),
    [ids[2]],
  );
});

for (const query of [
  'type=exe',
  'team_id=mine',
  'limit=0',
  'limit=101',
  'page=0',
  'colour=red',
  'type=pdf&type=txt',
]) {
  test(`rejects a list with ${query}`, async () => {
    assert.equal((await api('GET', `/documents?${query}`)).status, 400);
  });
}

test('finds a part of a name in either form of Unicode', async () => {
  const teamId = await createTeam();
  const [composed, decomposed] = ['R\u00e9sum\u00e9', 'Re\u0301sume\u0301'];
  for (const name of [composed, decomposed]) await upload({ teamId, name: `${name}.txt` });
  for (const part of [composed, decomposed, 'e\u0301', '\u00e9']) {
    const query = new URLSearchParams({ team_id: teamId, name: part });
    const { body } = await api('GET', `/documents?${query}`);
    assert.equal(body.meta.total, 2, part);
  }
});

test('keeps the extension of a renamed document and reports the changes', async () => {
  const { id } = (await upload({ teamId: await createTeam(), name: 'old.txt' })).body.data;
  const rename = (name: unknown) => api('PATCH', `/documents/${id}`, { body: { name } });
  const renamed = await rename('new name.TXT');
  assert.deepEqual([renamed.body.data.name, renamed.body.meta], ['new name.TXT', { changes: ['name'] }]);
  const same = await rename('new name.TXT');
  assert.deepEqual(same.body.meta, { changes: [] });
  assert.equal(same.body.data.updated_at, renamed.body.data.updated_at);
  for (const [name, reason] of [
    ['new.pdf', 'extension_changed'],
    ['new', 'extension_changed'],
    ['.', 'validation'],
    [7, 'validation'],
  ] as const) {
    const { status, body } = await rename(name);
    assert.deepEqual([status, body.details.reason], [400, reason]);
  }
  assert.equal((await api('GET', `/documents/${id}`)).body.data.name, 'new name.TXT');
});

test('reports every issue of a new name before it looks for the document', async () => {
  const renameWithIssues = async (body: object) => {
    const response = await api('PATCH', `/documents/${crypto.randomUUID()}`, { body });
    assert.deepEqual([response.status, response.body.details.reason], [400, 'validation']);
    return response.body.details.issues;
  };
  const about = (...messages: string[]) => messages.map((message) => ({ path: 'name', message }));
  const hostile = 'must not contain slashes, control or bidirectional characters';
  const tooLong = 'must have at most 255 characters';
  assert.deepEqual(await renameWithIssues({ name: '' }), about('must not be empty'));
  for (const name of ['a/b.txt', 'a\\b.txt', 'a\0b.txt', 'a\u009fb.txt', 'a\u202eb.txt']) {
    assert.deepEqual(await renameWithIssues({ name }), about(hostile), name);
  }
  assert.deepEqual(await renameWithIssues({ name: `${'😀'.repeat(252)}.txt` }), about(tooLong));
  assert.deepEqual(await renameWithIssues({ name: `${'/'.repeat(252)}.txt` }), about(tooLong, hostile));
  assert.deepEqual(await renameWithIssues({ name: ' .. ' }), about('must be more than blanks or dots'));
  assert.deepEqual(await renameWithIssues({ name: '\u0958'.repeat(200) }), about(`${tooLong} in NFC`));
  assert.deepEqual(
    await renameWithIssues({ name: 'a\ud800.txt' }),
    about('must not contain half a surrogate pair'),
  );
  assert.deepEqual(await renameWithIssues({ name: ' ', team_id: 'x' }), [
    ...about('must be more than blanks or dots'),
    { path: 'team_id', message: 'is not a known field' },
  ]);
  const longest = await api('PATCH', `/documents/${crypto.randomUUID()}`, {
    body: { name: `${'😀'.repeat(251)}.txt` },
  });
  assert.equal(longest.status, 404);
});

test('returns the file unchanged as a download with its name', async () => {
  const teamId = await createTeam();
  const { id } = (await upload({ teamId, content: '<script>1</script>' })).body.data;
  await api('PATCH', `/documents/${id}`, { body: { name: 'Größe "1" 📄.txt' } });
  const { status, headers, bytes } = await api('GET', `/documents/${id}/content`);
  assert.equal(status, 200);
  assert.equal(Buffer.from(bytes).toString(), '<script>1</script>');
  assert.equal(headers.get('content-type'), 'text/plain');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(
    headers.get('content-disposition'),
    `attachment; filename="Gr__e _1_ __.txt"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22%20%F0%9F%93%84.txt`,
  );
});

test('deletes a document, refunds its quota and schedules external cleanup', async () => {
  const teamId = await createTeam();
  const document = (await upload({ teamId })).body.data;
  const responses = await Promise.all([1, 2, 3].map(() => api('DELETE', `/documents/${document.id}`)));
  assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 404, 404]);
  for (const path of ['', '/content']) {
    assert.equal((await api('GET', `/documents/${document.id}${path}`)).status, 404);
  }
  assert.deepEqual(await readUsage(teamId), { documents: 0, characters: 0 });
  const scheduled = await db
    .selectFrom('tombstones')
    .select(['kind', 'ref'])
    .where('team_id', '=', teamId)
    .orderBy('kind')
    .execute();
  assert.deepEqual(scheduled, [
    { kind: 'document', ref: document.ai_provider_id },
    { kind: 'file', ref: document.file_url },
  ]);
});

test('hides documents of other teams from a team key', async () => {
  const { id } = (await upload({ teamId: await createTeam() })).body.data;
  const { token } = await issueKey({ teamId: await createTeam() });
  const body = { name: 'mine.txt' };
  for (const { status, body: response } of [
    await api('GET', `/documents/${id}`, { token }),
    await api('GET', `/documents/${id}/content`, { token }),
    await api('PATCH', `/documents/${id}`, { token, body }),
    await api('DELETE', `/documents/${id}`, { token }),
  ]) {
    assert.deepEqual(
      [status, response.code, response.details.reason],
      [404, 'NOT_FOUND', 'document_not_found'],
    );
  }
  assert.equal((await api('GET', `/documents/${id}`)).status, 200);
});

test('returns 404 for an unknown id and 401 without a token', async () => {
  const body = { name: 'a.txt' };
  for (const id of ['mine', crypto.randomUUID()]) {
    assert.equal((await api('GET', `/documents/${id}`)).status, 404);
    assert.equal((await api('GET', `/documents/${id}/content`)).status, 404);
    assert.equal((await api('PATCH', `/documents/${id}`, { body })).status, 404);
    assert.equal((await api('DELETE', `/documents/${id}`)).status, 404);
    assert.equal((await api('DELETE', `/documents/${id}`, { token: null })).status, 401);
  }
  assert.equal((await upload({ teamId: await createTeam() }, { token: null })).status, 401);
});

test('names documents of the team that are nearly the same, and nothing otherwise', async () => {
  const [teamId, other] = [await createTeam(), await createTeam()];
  const prices = (first: number) =>
    ['kayak', 'canoe', 'pedal boat', 'rowing boat', 'sailing dinghy', 'electric launch', 'stand-up board']
      .map((boat, index) => `The rental of a ${boat} costs ${first + index} euros per hour.`)
      .join('\n\n');
  const older = await upload({ teamId, name: 'prices 2025.txt', content: prices(11) });
  assert.equal('similar_documents' in older.body.data, false);
  await upload({
    teamId,
    name: 'menu.txt',
    content: 'We serve soup, bread, cheese, coffee and cake on weekdays from noon.',
  });
  const newer = await upload({ teamId, name: 'prices 2026.txt', content: prices(52) });
  const { similar_documents: similar, ...document } = newer.body.data;
  assert.deepEqual(similar, [{ id: older.body.data.id, name: 'prices 2025.txt' }]);
  assert.deepEqual((await api('GET', `/documents/${document.id}`)).body.data, document);
  const elsewhere = await upload({ teamId: other, name: 'prices.txt', content: prices(11) });
  assert.equal('similar_documents' in elsewhere.body.data, false);
});
