import assert from 'node:assert/strict';
import { test } from 'node:test';
import { field, file, multipartBody, type RawPart } from '../../../test/hostile-uploads/multipart.ts';
import { startUploadApp } from '../../../test/upload-app.ts';
import { toMultipartError } from './upload-parts.ts';

const { api, createTeam } = await startUploadApp();
const boundary = 'x5f3';
const formType = (end: string) => `multipart/form-data; boundary=${end}`;

const send = (bytes: Buffer, contentType: string) =>
  api('POST', '/documents', {
    body: new Blob([new Uint8Array(bytes)]),
    headers: { 'content-type': contentType },
  });

const team = field('team_id', await createTeam());
const good = [team, file('a.txt', 'Bicycles at the harbour.')];
const unknown = (count: number) => Array.from({ length: count }, (_, n) => field(`f${n}`, ''));
const header = (written: string): RawPart => ({ header: `content-disposition: ${written}`, content: '' });

const unknownFields = (count: number) =>
  Array.from({ length: count }, (_, n) => `f${n} is not a known field`).join('; ');

const invalidForms: [name: string, parts: RawPart[], message: string][] = [
  ['a field without a name', [...good, header('form-data')], '(part) must have a name'],
  ['a file whose part has no name', [...good, header('form-data; filename="b"')], '(part) must have a name'],
  ['a field with an empty name', [...good, field('', '1')], '(part) must have a name'],
  ['an unknown field', [...good, ...unknown(1)], unknownFields(1)],
  ['five unknown fields', [...good, ...unknown(5)], unknownFields(5)],
  ['too many fields', [...unknown(6), ...good], `(body) has too many fields; ${unknownFields(6)}`],
  [
    'too many files',
    [...good, ...[1, 2, 3].map((n) => file('b.txt', '', `g${n}`))],
    '(body) has too many files; g1 is not a known field; g2 is not a known field',
  ],
  [
    'too many parts',
    [...good, ...[1, 2].map((n) => file('b.txt', '', `g${n}`)), ...unknown(5)],
    `(body) has too many parts; ${unknownFields(4)}; g1 is not a known field; g2 is not a known field`,
  ],
  ...['toString', '__proto__'].map((name): [string, RawPart[], string] => [
    `a field called ${name}`,
    [...good, field(name, ''), ...unknown(1)],
    `(part) has a name that is not a known field; ${unknownFields(1)}`,
  ]),
  [
    'a field declared as JSON that is not JSON',
    [...good, header('form-data; name="chars"\r\ncontent-type: application/json')],
    '(part) must be short, plain text',
  ],
];

for (const encoding of ['base64', 'quoted-printable', 'BASE64', 'x-uuencode']) {
  const header = `\r\ncontent-transfer-encoding: ${encoding}`;
  const message = `must be sent as it is, without content-transfer-encoding ${encoding.toLowerCase()}`;
  for (const [path, encoded] of [
    ['file', good[1]],
    ['team_id', team],
  ] as const) {
    const parts = [
      ...good.filter((part) => part !== encoded),
      { content: '', ...encoded, header: encoded?.header + header },
    ];
    invalidForms.push([`a part ${path} in ${encoding}`, parts, `${path} ${message}`]);
  }
}

for (const [name, parts, message] of invalidForms) {
  test(`rejects ${name} with a message of the API`, async () => {
    const { status, body } = await send(multipartBody(parts, boundary), formType(boundary));
    assert.deepEqual(
      [status, body.details.reason, body.error],
      [400, 'validation', `Invalid request: ${message}`],
    );
  });
}

/** The parameters after the part's name, as clients write them, and the name of the document. */
const fileNames: [parameters: string | Buffer, name: string][] = [
  ['filename="x.txt"; filename*=UTF-8\'\'%E4%BB%B7%E6%A0%BC.txt', '价格.txt'],
  ['filename*=utf-8\'en\'%E4%BB%B7%E6%A0%BC%2522.txt; filename="x.txt"', '价格%22.txt'],
  ['FileName = x.txt; FILENAME*="UTF-8\'\'caf%C3%A9.txt"', 'café.txt'],
  ["filename*=iso-8859-1'en'%A3%20rates.txt", '£ rates.txt'],
  ['filename="x.txt"; filename*=UTF-8\'\'%zz.txt', 'x.txt'],
  ['filename="x.txt"; filename*=unknown-8\'\'y.txt', 'x.txt'],
  ['filename="a %22best%22.txt"', 'a "best".txt'],
  ['filename="a%0D%0Ab %41 100%25.txt"', 'ab %41 100%25.txt'],
  ['filename="a \\"best\\"; b.txt"', 'a "best"; b.txt'],
  ['filename="C:\\Users\\new\\table.txt"', 'table.txt'],
  ['filename=two words.txt', 'two words.txt'],
  ['filename="=?UTF-8?B?5Lu35qC8?= =?utf-8?Q?=E4=BB=B7_b.txt?="', '价格价 b.txt'],
  ['filename="=?ISO-8859-1?B?L+kv6S50eHQ=?="', 'é.txt'],
  ['\r\n\tfilename="folded.txt"', 'folded.txt'],
  [Buffer.from('filename="Horário.txt"', 'latin1'), 'Horário.txt'],
  ['filename="Horário.txt"', 'Horário.txt'],
];

test('names the document as the client means it', async () => {
  for (const [parameters, expected] of fileNames) {
    const start = Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="file"; `);
    const content = Buffer.from('\r\n\r\nBicycles at the harbour.\r\n');
    const part = Buffer.concat([start, Buffer.from(parameters), content]);
    const { status, body } = await send(
      Buffer.concat([part, multipartBody([team], boundary)]),
      formType(boundary),
    );
    assert.deepEqual([status, body.data?.name], [200, expected], String(parameters));
  }
});

const whole = multipartBody(good, boundary);

test('rejects a body without valid boundaries and reports the reason', async () => {
  const endsEarly = 'it ends before its last boundary';
  const unusable = 'its boundary is missing or too long';
  for (const [bytes, contentType, reason] of [
    [whole.subarray(0, -20), formType(boundary), endsEarly],
    [whole.subarray(0, -4), formType(boundary), endsEarly],
    [whole, formType('another'), endsEarly],
    [whole, 'multipart/form-data', unusable],
    [whole, formType('b'.repeat(300)), unusable],
  ] as const) {
    const { status, body } = await send(bytes, contentType);
    assert.deepEqual([status, body.details.reason], [400, 'malformed_multipart']);
    assert.equal(body.error, `The multipart body could not be read: ${reason}`);
  }
});

test('reports a disconnected client as a malformed body, but no internal error', () => {
  const disconnected = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
  assert.equal(toMultipartError(disconnected, [])?.status, 400);
  for (const internal of [new TypeError("reading 'slice'"), new Error('aborted'), 'aborted', undefined]) {
    assert.equal(toMultipartError(internal, []), null);
  }
});

test('rejects other content types at any length and keeps the connection open', async () => {
  for (const bytes of [
    whole,
    Buffer.from('%PDF-1.7 \xff', 'latin1'),
    Buffer.alloc(2 * 1024 * 1024, 0xff),
    Buffer.of(),
  ]) {
    for (const type of [
      'application/x-www-form-urlencoded',
      'application/pdf',
      'application/json',
      'json',
      '',
    ]) {
      const { status, body, headers } = await send(bytes, type);
      assert.deepEqual([status, body.details.reason, type], [400, 'content_type', type]);
      assert.equal(body.error, 'The body must be sent as multipart/form-data');
      assert.notEqual(headers.get('connection'), 'close');
    }
  }
});
