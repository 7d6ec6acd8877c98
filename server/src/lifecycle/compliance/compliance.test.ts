import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { createChats, createTestBots } from '../../../test/chats.ts';
import { newPhone } from '../../../test/devices.ts';
import { eventually } from '../../../test/eventually.ts';
import { startFakeModels } from '../../../test/fake-models/fake-models.ts';
import { startTestApp } from '../../../test/harness.ts';
import { createActionCaller } from '../../chat/answering/call-action.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';

const fakes = await startFakeModels();
after(() => fakes.stop());

const app = await startTestApp({
  environment: {
    DISCLOSURE_OFF_REASON: 'Only testers write.',
    ASSISTANT_PROVIDER: 'openai-compatible',
    MODEL_BASE_URL: `${fakes.url}/v1`,
    MODEL_LEVEL_1: 'small',
    SPEECH_PROVIDER: 'openai-compatible',
    SPEECH_BASE_URL: 'https://speech.example.com/v1',
    SPEECH_MODEL: 'voice',
    SPEECH_VOICE: 'one',
    MAIL_URL: 'smtp://post:secret@mail.example.com:587',
    MAIL_FROM: 'noreply@example.com',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
  },
});
const { db } = app.context;
const callAction = createActionCaller({ outbound: createOutbound({ allowedHosts: [] }) });
const chats = createChats({ ...app, bots: createTestBots(app.context), callAction });
chats.startAnswering({ disclosure: { mode: 'first_reply' } });

const questions = [{ question: 'When do you open?', answer: 'We open at nine.' }];
type Desk = Awaited<ReturnType<typeof chats.addDevice>>;

const read = async ({ teamId }: Pick<Desk, 'teamId'>, query = '') => {
  const { status, body } = await app.api('GET', `/teams/${teamId}/compliance${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
};

test('counts notices, opt-outs, people and erasures of one team', async () => {
  const [desk, other] = [await chats.addDevice({ questions }), await chats.addDevice({ questions })];
  const [first, second, third] = [newPhone(), newPhone(), newPhone()];
  for (const contact of [first, second, third]) {
    await chats.write(desk, contact, 'When do you open?');
    await chats.untilReplied(desk, contact);
  }
  await chats.write(desk, first, 'STOP');
  await chats.untilReplied(desk, first, 2);
  await chats.write(desk, second, 'I want to speak to a person');
  await eventually(async () => assert.equal((await read(desk)).people.requested, 1));
  const path = `/contacts/${encodeURIComponent(third)}`;
  assert.equal((await app.api('POST', `${path}/erase`, { body: { team_id: desk.teamId } })).status, 200);
  const { conversations, opt_outs, erasures, exports, disclosure } = await read(desk);
  assert.deepEqual(conversations, { answered: 2, noticed: 2, automated: 0 });
  assert.deepEqual(opt_outs, { now: 1, added: 1, undone: 0 });
  assert.deepEqual([erasures, exports], [1, 0]);
  assert.deepEqual(disclosure, { mode: 'off', reason: 'Only testers write.', set_by: 'deployment' });
  const empty = await read(other);
  assert.deepEqual(
    [empty.answers, empty.conversations.answered, empty.opt_outs.now, empty.erasures],
    [0, 0, 0, 0],
  );
});

test('leaves out what happened before the time', async () => {
  const [desk, contact] = [await chats.addDevice({ questions }), newPhone()];
  await chats.write(desk, contact, 'When do you open?');
  await chats.untilReplied(desk, contact);
  await sql`update answers set created_at = created_at - interval '40 days' where team_id = ${desk.teamId}`.execute(
    db,
  );
  assert.deepEqual([(await read(desk)).answers, (await read(desk, '?days=60')).answers], [0, 1]);
  for (const days of [0, 367])
    assert.equal((await app.api('GET', `/teams/${desk.teamId}/compliance?days=${days}`)).status, 400);
});

test('lists what the bots are for, and how often a model refused other questions', async () => {
  const disclosure = { mode: 'every_conversation' };
  const [desk, contact] = [
    await chats.addDevice({ questions, name: 'Shop', purpose: 'bicycles', disclosure }),
    newPhone(),
  ];
  await fakes.script('small', [
    {
      toolCalls: [
        {
          callId: 'c1',
          tool: 'cannot_answer',
          arguments: JSON.stringify({ text: 'I can help with bicycles.', off_topic: true }),
        },
      ],
    },
  ]);
  for (const [index, text] of ['When do you open?', 'Write me a poem about the sea'].entries()) {
    await chats.write(desk, contact, text);
    await chats.untilReplied(desk, contact, index + 1);
  }
  assert.deepEqual((await read(desk)).bots, [
    {
      id: desk.botId,
      name: 'Shop',
      purpose: 'bicycles',
      disclosure_mode: 'every_conversation',
      answers: 2,
      off_topic: 1,
    },
  ]);
});

test('counts a contact with several numbers once', async () => {
  const { teamId, deviceId } = await chats.addDevice();
  await sql`
    insert into consents (team_id, contact, kind, state, source)
    select ${teamId}, contact, 'active_messages', 'out', 'contact'
    from unnest(array['+15550101', 'lid:7', '+15550102']) contact`.execute(db);
  await sql`
    insert into contact_addresses (device_id, address, team_id, contact_number)
    values (${deviceId}, 'lid:7', ${teamId}, '+15550101')`.execute(db);
  assert.equal((await read({ teamId })).opt_outs.now, 2);
});

test('names who gets data, from the configuration and the objects of the team', async () => {
  const action = { name: 'order status', description: 'Finds an order', method: 'GET' };
  const endpoint = 'https://shop.example.com/orders/{{order}}';
  const desk = await chats.addDevice({
    actions: [{ ...action, endpoint, parameters: [{ name: 'order', description: 'Number' }] }],
  });
  const webhook = { team_id: desk.teamId, url: 'https://hooks.example.com/parley', events: ['*'] };
  assert.equal((await app.api('POST', '/webhooks', { body: webhook })).status, 200);
  const { recipients, storage } = await read(desk);
  assert.deepEqual(
    recipients.filter(({ kind }: { kind: string }) => kind !== 'database'),
    [
      { kind: 'model', name: 'openai-compatible', host: new URL(fakes.url).host, own: true },
      { kind: 'speech', name: null, host: 'speech.example.com', own: false },
      { kind: 'mail', name: 'SMTP', host: 'mail.example.com:587', own: false },
      { kind: 'telemetry', name: 'OpenTelemetry', host: 'collector:4318', own: true },
      { kind: 'webhook', name: null, host: 'hooks.example.com', own: false },
      { kind: 'action', name: null, host: 'shop.example.com', own: false },
    ],
  );
  assert.deepEqual(storage, { database: 'embedded', files: 'local', documents: 'database' });
});
