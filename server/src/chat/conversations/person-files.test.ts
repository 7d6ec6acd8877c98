import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type ChatDevice, createChats, createTestBots } from '../../../test/chats.ts';
import { startTestApp } from '../../../test/harness.ts';
import { makeVoiceNote } from '../../../test/voice-notes.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { newId } from '../../platform/shared/ids.ts';
import type { MessageContent } from '../../ports/messaging-network/messaging-network.ts';
import { readPackets } from '../../ports/speech/ogg-opus.ts';
import { createActionCaller } from '../answering/call-action.ts';
import { toNetworkId } from '../messages/delivery-attempt.ts';
import { createOutbox } from '../messages/outbox.ts';

const maxUploadBytes = 200_000;
const base = await startTestApp({ environment: { MAX_UPLOAD_BYTES: `${maxUploadBytes}` } });
const callAction = createActionCaller({ outbound: createOutbound({ allowedHosts: [] }) });
const app = {
  ...base,
  ...createChats({ ...base, bots: createTestBots(base.context), callAction }),
};
const { api, context } = app;
const { db } = context;
const outbox = createOutbox(context);
const contact = '+15550178101';
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

async function addConversation(): Promise<ChatDevice & { id: string }> {
  const desk = await app.addDevice({}, { reply_delay_seconds: 600 });
  await app.write(desk, contact, 'Hello');
  await sql`
    with pool as (
      insert into pools (id, url, capacity, lease_until)
      values (${newId()}, 'http://127.0.0.1:1', 9, now() + interval '1 hour') returning id
    )
    update devices set connected = true, pool_id = pool.id from pool where devices.id = ${desk.deviceId}`.execute(
    db,
  );
  return { ...desk, id: (await app.readConversation(desk, contact)).id };
}

const form = (name: string, content: Uint8Array<ArrayBuffer> | string, text?: string): FormData => {
  const data = new FormData();
  if (text !== undefined) data.append('text', text);
  data.append('file', new Blob([content]), name);
  return data;
};

const send = (
  id: string,
  body: FormData,
  options: { token?: string; headers?: Record<string, string> } = {},
) => api('POST', `/conversations/${id}/files`, { body, ...options });

const bytesOf = (content: MessageContent) => Buffer.from(content.kind === 'text' ? [] : content.bytes);

/** Returns the content that the network would get. */
async function contentOf(deviceId: string, messageId: string) {
  await sql`update messages set attempts = 1 where id = ${messageId}`.execute(db);
  return outbox.findSent(deviceId, toNetworkId(messageId));
}

test('sends images, documents and voice notes, with name and caption, and keeps them readable', async () => {
  const { id, deviceId } = await addConversation();
  const large = new Uint8Array(randomBytes(100_000));
  const pdf = new TextEncoder().encode('%PDF-1.7 prices');
  const voice = new Uint8Array(makeVoiceNote(3));
  for (const { body, kind, mimeType, expected } of [
    {
      body: form('photo.png', new Uint8Array(png), 'The blue one'),
      kind: 'image',
      mimeType: 'image/png',
      expected: { caption: 'The blue one', bytes: png },
    },
    {
      body: form('Preise 2026 für Räder.pdf', pdf),
      kind: 'document',
      mimeType: 'application/pdf',
      expected: { caption: '', fileName: 'Preise 2026 für Räder.pdf', bytes: Buffer.from(pdf) },
    },
    {
      body: form('data.bin', large, 'All of it'),
      kind: 'document',
      mimeType: 'application/octet-stream',
      expected: { caption: 'All of it', fileName: 'data.bin', bytes: Buffer.from(large) },
    },
    {
      body: form('notes.csv', 'a;b\n1;2', 'x'.repeat(1024)),
      kind: 'document',
      mimeType: 'text/plain',
      expected: { caption: 'x'.repeat(1024), fileName: 'notes.csv', bytes: Buffer.from('a;b\n1;2') },
    },
    {
      body: form('voice.ogg', voice),
      kind: 'voice',
      mimeType: 'audio/ogg; codecs=opus',
      expected: { seconds: 3, bytes: Buffer.from(voice) },
    },
    {
      body: form('song.ogg', voice, 'Our song'),
      kind: 'document',
      mimeType: 'audio/ogg; codecs=opus',
      expected: { caption: 'Our song', fileName: 'song.ogg', bytes: Buffer.from(voice) },
    },
  ]) {
    const { status, body: response } = await send(id, body);
    assert.equal(status, 200, JSON.stringify(response));
    const { id: messageId, ...message } = response.data;
    assert.deepEqual(
      [message.origin, message.kind, message.mime_type, message.status],
      ['person', kind, mimeType, 'accepted'],
    );
    const content = await contentOf(deviceId, messageId);
    assert.ok(content !== null && content.kind === kind);
    for (const [name, value] of Object.entries<unknown>(expected))
      assert.deepEqual(
        Object.entries({ ...content, bytes: bytesOf(content) }).find(([key]) => key === name)?.[1],
        value,
        name,
      );
    assert.equal((await api('GET', `/messages/${messageId}/media`)).status, 200);
  }
  const { state, flag } = await app.readConversation({ deviceId, teamId: '', botId: '' }, contact);
  assert.deepEqual([state, flag], ['paused', null], 'as after a text of a person');
});

/** A WebM file as browsers record it: the segment and the cluster have no length. */
function makeWebm(codec: string, packets: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const element = (id: string, content: Buffer) =>
    Buffer.concat([
      Buffer.from(id, 'hex'),
      Buffer.from([0x40 | (content.length >> 8), content.length & 255]),
      content,
    ]);
  const open = (id: string) => Buffer.from(`${id}01ffffffffffffff`, 'hex');
  return new Uint8Array(
    Buffer.concat([
      element('1a45dfa3', element('4282', Buffer.from('webm'))),
      open('18538067'),
      element(
        '1654ae6b',
        element('ae', Buffer.concat([element('d7', Buffer.of(1)), element('86', Buffer.from(codec))])),
      ),
      open('1f43b675'),
      element('e7', Buffer.of(0)),
      ...packets.map((packet) => element('a3', Buffer.concat([Buffer.of(0x81, 0, 0, 0x80), packet]))),
    ]),
  );
}

test('turns the Opus that browsers record into a voice note, and leaves other WebM files as they are', async () => {
  const { id, deviceId } = await addConversation();
  const packets = readPackets(makeVoiceNote(2));
  const recorded = await send(id, form('recording.webm', makeWebm('A_OPUS', packets)));
  assert.deepEqual(
    [recorded.body.data.kind, recorded.body.data.mime_type],
    ['voice', 'audio/ogg; codecs=opus'],
  );
  const content = await contentOf(deviceId, recorded.body.data.id);
  assert.ok(content?.kind === 'voice');
  assert.equal(content.seconds, 2);
  assert.deepEqual(readPackets(content.bytes), packets);
  assert.ok(!Buffer.from(content.bytes).includes('machine'), 'a person spoke');
  const video = await send(id, form('film.webm', makeWebm('V_VP8', packets)));
  assert.equal(video.body.data.kind, 'document');
  const cut = makeWebm('A_OPUS', packets);
  const refused = await send(id, form('cut.webm', cut.subarray(0, cut.length - 1)));
  assert.equal(refused.body.details.reason, 'unreadable');
  assert.equal(
    (await send(id, form('silent.webm', makeWebm('A_OPUS', [])))).body.details.reason,
    'unreadable',
  );
});

test('refuses files that are missing, empty, nameless, too large or damaged, and long captions', async () => {
  const { id, deviceId } = await addConversation();
  const textOnly = new FormData();
  textOnly.append('text', 'Hello');
  const other = form('a.txt', 'a');
  other.append('team_id', newId());
  for (const [body, reason] of [
    [textOnly, 'file is required'],
    [other, 'team_id is not a known field'],
    [form('a.txt', ''), 'empty_file'],
    [form('..', 'a'), 'name_empty'],
    [form('a.bin', new Uint8Array(maxUploadBytes + 1)), 'file_too_large'],
    [form('a.txt', 'a', 'x'.repeat(1025)), 'text must have at most 1024 characters'],
    [form('voice.ogg', new Uint8Array(makeVoiceNote(1).subarray(0, 100))), 'unreadable'],
  ] as const) {
    const { status, body: response } = await send(id, body);
    assert.equal(status, 400, reason);
    assert.ok(JSON.stringify(response).includes(reason), JSON.stringify(response));
  }
  assert.equal(
    (await send(id, form('a.bin', new Uint8Array(maxUploadBytes)))).status,
    200,
    'the largest one',
  );
  assert.equal((await api('POST', `/conversations/${id}/files`, { body: { text: 'a' } })).status, 400);
  await sql`update devices set connected = false where id = ${deviceId}`.execute(db);
  const { body: response } = await send(id, form('a.txt', 'a'));
  assert.equal(response.details.reason, 'device_not_connected');
});

test('sends a file once per Idempotency-Key, only in the own team, and not for viewers', async () => {
  const [{ id, teamId, ...desk }, other] = [await addConversation(), await addConversation()];
  const headers = { 'idempotency-key': newId() };
  const first = await send(id, form('a.txt', 'a'), { headers });
  const again = await send(id, form('a.txt', 'a'), { headers });
  assert.deepEqual([again.status, again.body.data.id], [200, first.body.data.id]);
  const differs = await send(id, form('a.txt', 'b'), { headers });
  assert.equal(differs.body.details.reason, 'idempotency_mismatch');
  const sent = (await app.readChat({ teamId, ...desk }, contact)).filter(({ kind }) => kind === 'document');
  assert.equal(sent.length, 1);
  const { token } = await app.issueKey({ teamId });
  assert.equal((await send(other.id, form('a.txt', 'a'), { token })).status, 404);
  assert.equal((await send(id, form('a.txt', 'a'), { token })).status, 200);
  const viewer = await app.issueKey({ teamId, role: 'viewer' });
  assert.equal((await send(id, form('a.txt', 'a'), { token: viewer.token })).status, 403);
});
