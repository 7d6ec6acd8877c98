import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CloudNumber, newPerson, newUser, startCloudApp } from '../../../test/cloud-numbers.ts';
import { addDevice, addTeamWithBot, linkDevice, waitForDevice } from '../../../test/devices.ts';
import { eventually } from '../../../test/eventually.ts';
import type { Person } from '../../../test/fake-graph/state.ts';

const app = await startCloudApp();
const { api, graph } = app;
await app.startPool();

interface Shown {
  id: string;
  contact_number: string;
  direction: 'in' | 'out';
  origin: string;
  kind: string;
  text: string;
  status: string;
  failure?: string;
  failure_code?: number;
  refunded: boolean;
  pricing?: object;
  details?: Record<string, unknown>;
}

const list = async ({ deviceId }: CloudNumber, query = ''): Promise<Shown[]> => {
  const { body } = await api('GET', `/messages?device_id=${deviceId}${query}`);
  return body.data.toReversed();
};

const untilReceived = (number: CloudNumber, count: number): Promise<Shown[]> =>
  eventually(async () => {
    const messages = await list(number, '&direction=in');
    assert.equal(messages.length, count);
    return messages;
  });

const untilSettled = (number: CloudNumber, id: string, status: string): Promise<Shown> =>
  eventually(async () => {
    const found = (await list(number)).find((message) => message.id === id);
    assert.equal(found?.status, status);
    return found as Shown;
  });

const send = async (number: CloudNumber, person: Person, more: object = {}) => {
  const { status, body } = await api('POST', '/send', {
    body: {
      device_id: number.deviceId,
      destination_number: `+${person.wa_id}`,
      message: 'Your order is ready.',
      ...more,
    },
  });
  return { status, data: body.data, details: body.error?.details ?? body.details };
};

/** A person who wrote just now. */
const addWriter = async (number: CloudNumber) => {
  const person = newPerson();
  const before = (await list(number, '&direction=in')).length;
  await graph.write(number.phone, person, 'Hello');
  await untilReceived(number, before + 1);
  return person;
};

test('stores every kind of message that a contact sends', async () => {
  const number = await app.addNumber();
  const ann = newPerson();
  const first = await graph.write(number.phone, ann, 'Do you rent tandems?');
  await untilReceived(number, 1);
  const png = Buffer.from('89504e470d0a1a0a00', 'hex');
  const [image, voice, pdf] = [
    await graph.addMedium(number.phone, 'image/png', png),
    await graph.addMedium(number.phone, 'audio/ogg', Buffer.from('OggS')),
    await graph.addMedium(number.phone, 'application/pdf', Buffer.from('%PDF')),
  ];
  const contents = [
    { type: 'image', image: { id: image, mime_type: 'image/png', caption: 'this one' } },
    { type: 'audio', audio: { id: voice, mime_type: 'audio/ogg; codecs=opus', voice: true } },
    { type: 'document', document: { id: pdf, mime_type: 'application/pdf', filename: 'a.pdf' } },
    { type: 'location', location: { latitude: 52.5, longitude: 13.25, name: 'Gate' } },
    { type: 'contacts', contacts: [{ name: { formatted_name: 'Bo' }, phones: [{ phone: '+49 170' }] }] },
    { type: 'reaction', reaction: { message_id: first, emoji: '👍' } },
    { type: 'text', text: { body: 'and this' }, context: { id: first } },
    {
      type: 'interactive',
      interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes, please' } },
    },
    { type: 'button', button: { text: 'Stop', payload: 'stop' } },
    {
      type: 'order',
      order: {
        product_items: [{ product_retailer_id: 'tandem', quantity: 2, item_price: 12.5, currency: 'EUR' }],
      },
    },
    { type: 'unsupported', errors: [{ code: 131051, title: 'Message type unknown' }] },
  ];
  for (const content of contents) await graph.write(number.phone, ann, content);
  const [hello, ...others] = await untilReceived(number, contents.length + 1);
  const byText = new Map(others.map((message) => [message.text, message]));
  const details = (text: string) => byText.get(text)?.details;
  assert.equal(byText.get('this one')?.kind, 'image');
  const media = await api('GET', `/messages/${byText.get('this one')?.id}/media`);
  assert.deepEqual(Buffer.from(media.bytes), png);
  const kinds = others.map(({ kind }) => kind);
  assert.deepEqual(
    [kinds.filter((kind) => kind === 'voice').length, kinds.filter((kind) => kind === 'document').length],
    [1, 1],
  );
  assert.deepEqual(details('[location: Gate, 52.5, 13.25]'), {
    type: 'location',
    latitude: 52.5,
    longitude: 13.25,
    name: 'Gate',
  });
  assert.equal(details('[contact: Bo +49 170]')?.['type'], 'contacts');
  assert.deepEqual(details('[reaction 👍]'), { type: 'reaction', emoji: '👍', message_id: hello?.id });
  assert.equal(details('and this')?.['reply_to_id'], hello?.id);
  assert.deepEqual(details('Yes, please'), { type: 'button_reply', choice: 'yes' });
  assert.equal(details('[order: 2 × tandem (12.5 EUR)]')?.['amount'], 25);
  assert.equal(details('[unsupported message: Message type unknown]')?.['type'], 'unsupported');
});

test('keeps one conversation when a number is hidden, appears, and the id of the contact changes', async () => {
  const number = await app.addNumber();
  const hidden = newUser('Cleo');
  await graph.write(number.phone, hidden, 'I have a user name');
  const [first] = await untilReceived(number, 1);
  assert.equal(first?.contact_number, `bsuid:${hidden.user_id}`);
  const [conversation] = (await api('GET', `/conversations?device_id=${number.deviceId}`)).body.data;
  const answer = await api('POST', `/conversations/${conversation.id}/messages`, {
    body: { text: 'Hello Cleo' },
  });
  assert.equal(answer.status, 200);
  await untilSettled(number, answer.body.data.id, 'delivered');
  const [sent] = await graph.sent(number.phone);
  assert.deepEqual([sent?.body['recipient'], sent?.body['to']], [hidden.user_id, undefined]);

  const renamed = { ...hidden, user_id: `${hidden.user_id}7` };
  const system = { type: 'user_changed_user_id', user_id: renamed.user_id, previous_user_id: hidden.user_id };
  await graph.write(number.phone, hidden, { type: 'system', system });
  await graph.write(number.phone, { ...renamed, wa_id: '15550998877' }, 'now with my number');
  await untilReceived(number, 2);
  await eventually(async () => {
    const chats = (await api('GET', `/conversations?device_id=${number.deviceId}`)).body.data;
    const numbers = chats.map(({ contact_number }: { contact_number: string }) => contact_number);
    assert.deepEqual(numbers, ['+15550998877']);
  });
  const contacts = (await list(number)).map(({ contact_number }) => contact_number);
  assert.deepEqual(contacts, ['+15550998877', '+15550998877', '+15550998877']);
});

test('edits and deletions change the message, and an echo of the business app pauses the bot', async () => {
  const number = await app.addNumber();
  const ann = newPerson();
  const id = await graph.write(number.phone, ann, 'When do you opn?');
  await untilReceived(number, 1);
  await graph.write(number.phone, ann, {
    type: 'edit',
    edit: { original_message_id: id, message: { type: 'text', text: { body: 'When do you open?' } } },
  });
  const [, edit] = await untilReceived(number, 2);
  assert.equal(edit?.details?.['type'], 'edit');
  await graph.write(number.phone, ann, { type: 'revoke', revoke: { original_message_id: id } });
  await eventually(async () => assert.equal((await list(number))[0]?.details?.['deleted'], true));
  // A text within seconds of the first message could be a greeting of the app.
  await graph.moveClock(60_000);
  await graph.echo(number.phone, ann, 'We open at nine.');
  await graph.moveClock(-60_000);
  await eventually(async () => {
    const [chat] = (await api('GET', `/conversations?device_id=${number.deviceId}`)).body.data;
    assert.equal(chat.state, 'paused');
    assert.equal((await list(number)).at(-1)?.origin, 'person');
  });
});

test('sends a text and a document, and follows the statuses with their price', async () => {
  const number = await app.addNumber();
  const ann = await addWriter(number);
  const { status, data } = await send(number, ann);
  assert.deepEqual([status, data.status], [200, 'sent']);
  const shown = await untilSettled(number, data.messageId, 'delivered');
  assert.deepEqual(shown.pricing, { category: 'service', billable: false, amount: 0, currency: null });
  const [text] = await graph.sent(number.phone);
  assert.deepEqual(
    [text?.body['to'], text?.body['text']],
    [ann.wa_id, { body: 'Your order is ready.', preview_url: false }],
  );
  const [chat] = (await api('GET', `/conversations?device_id=${number.deviceId}`)).body.data;
  const form = new FormData();
  form.append('file', new Blob(['%PDF-1.7 prices'], { type: 'application/pdf' }), 'prices.pdf');
  form.append('text', 'Our prices');
  const file = await api('POST', `/conversations/${chat.id}/files`, { body: form });
  assert.equal(file.status, 200, JSON.stringify(file.body));
  await untilSettled(number, file.body.data.id, 'delivered');
  const document = (await graph.sent(number.phone))[1]?.body['document'] as {
    id: string;
    filename: string;
    caption: string;
  };
  assert.deepEqual([document.filename, document.caption], ['prices.pdf', 'Our prices']);
  assert.equal(String((await graph.readMedium(document.id)).bytes), '%PDF-1.7 prices');
});

test('never repeats a send whose response was lost: the status decides', async () => {
  const number = await app.addNumber();
  const ann = await addWriter(number);
  await graph.fail({ kind: 'lose_response' });
  const { status, data } = await send(number, ann);
  assert.equal(status, 200);
  await untilSettled(number, data.messageId, 'delivered');
  assert.equal((await graph.sent(number.phone)).length, 1);
});

test('takes statuses before the response, doubled and in reverse order', async () => {
  const number = await app.addNumber();
  const ann = await addWriter(number);
  await graph.deliver({ copies: 3 });
  await graph.fail({ kind: 'status_first' });
  const early = await send(number, ann);
  await untilSettled(number, early.data.messageId, 'delivered');
  await graph.deliver({ copies: 1, reverse: 2 });
  const late = await send(number, ann);
  await untilSettled(number, late.data.messageId, 'delivered');
  await graph.deliver({ reverse: 0 });
  assert.equal((await graph.sent(number.phone)).length, 2);
});

test('waits and sends once when the network throttles the number or the contact', async () => {
  const number = await app.addNumber();
  const ann = await addWriter(number);
  await graph.fail(
    { kind: 'error', status: 429, code: 130429, retry_after: 1 },
    { kind: 'error', status: 400, code: 80007, retry_after: 1 },
  );
  const { status, data } = await send(number, ann);
  assert.equal(status, 200);
  await untilSettled(number, data.messageId, 'delivered');
  assert.equal((await graph.sent(number.phone)).length, 1);
});

test('leaves the outcome unknown after a server error, and sends nothing again', async () => {
  const number = await app.addNumber();
  const ann = await addWriter(number);
  await graph.fail({ kind: 'error', status: 500, code: 131000 });
  const { data } = await send(number, ann);
  const shown = await untilSettled(number, data.messageId, 'unknown');
  assert.deepEqual([shown.failure, shown.refunded], ['no_acknowledgement', false]);
  const next = await send(number, ann, { message: 'A second one' });
  await untilSettled(number, next.data.messageId, 'delivered');
  assert.deepEqual(
    (await graph.sent(number.phone)).map(({ body }) => (body['text'] as { body: string }).body),
    ['A second one'],
  );
});

test('refunds a message that the network refuses at once or later, with its error', async () => {
  const number = await app.addNumber();
  const ann = await addWriter(number);
  await graph.fail({ kind: 'error', status: 400, code: 131026 });
  const unknown = await send(number, ann);
  assert.deepEqual([unknown.status, unknown.details.reason], [400, 'recipient_unknown']);
  await graph.fail({ kind: 'fail_later', code: 131049 });
  const late = await send(number, ann);
  const shown = await untilSettled(number, late.data.messageId, 'refused');
  assert.deepEqual([shown.failure, shown.failure_code, shown.refunded], ['network_refused', 131049, true]);
});

test('stops with credentials_invalid when the token expires, and sends what waited with a new token', async () => {
  const number = await app.addNumber();
  const ann = await addWriter(number);
  await graph.expireToken(number.credentials.access_token);
  const { status, data } = await send(number, ann);
  assert.equal(status, 200);
  const stopped = await waitForDevice(app, number.deviceId, (device) => device['status'] === 'stopped');
  assert.equal(stopped['last_disconnect_reason'], 'credentials_invalid');
  assert.equal((await list(number)).at(-1)?.status, 'accepted');
  assert.equal((await graph.sent(number.phone)).length, 0);
  assert.equal(data.status, 'accepted');
});

test('keeps the words of a message whose file is gone', async () => {
  const number = await app.addNumber();
  const gone = { type: 'image', image: { id: '404404', mime_type: 'image/png', caption: 'lost' } };
  await graph.write(number.phone, newPerson(), gone);
  const [message] = await untilReceived(number, 1);
  assert.deepEqual(
    [message?.kind, message?.text, message?.details?.['missing_media']],
    ['text', 'lost', 'unavailable'],
  );
});

test('waits for a file while the network is too busy to give it', async () => {
  const number = await app.addNumber();
  const id = await graph.addMedium(number.phone, 'image/png', Buffer.from('89504e470d0a1a0a00', 'hex'));
  await graph.failMedia({ status: 400, code: 80007 });
  await graph.write(number.phone, newPerson(), { type: 'image', image: { id, mime_type: 'image/png' } });
  const [message] = await untilReceived(number, 1);
  assert.deepEqual([message?.kind, message?.details], ['image', undefined]);
});

test('refuses texts outside the window of 24 hours, and says until when it is open', async () => {
  const number = await app.addNumber();
  const stranger = newPerson();
  const refused = await send(number, stranger);
  assert.deepEqual(
    [refused.status, refused.details.reason, refused.details.templates],
    [400, 'window_closed', []],
  );
  const ann = await addWriter(number);
  const [chat] = (await api('GET', `/conversations?device_id=${number.deviceId}`)).body.data;
  const left = Date.parse(chat.window_open_until) - Date.now();
  assert.ok(left > 23 * 3_600_000 && left <= 24 * 3_600_000);
  assert.equal((await send(number, ann)).status, 200);
});

test('keeps a message that was delivered when its long text has options that fail later', async () => {
  const number = await app.addNumber();
  const ann = await addWriter(number);
  await graph.deliver({ reverse: 3 });
  await graph.fail({ kind: 'status_first' }, { kind: 'fail_later', code: 131049 });
  const message = 'word '.repeat(300).trim();
  const { data } = await send(number, ann, { message, choices: { options: [{ title: 'Yes' }] } });
  assert.equal((await untilSettled(number, data.messageId, 'delivered')).refunded, false);
  await graph.deliver({ reverse: 0 });
});

test('answers a contact whose id is long', async () => {
  const number = await app.addNumber();
  const person = { ...newUser('Cleo'), user_id: `US.${'7'.repeat(128)}` };
  await graph.write(number.phone, person, 'Hello');
  const [first] = await untilReceived(number, 1);
  assert.equal(first?.contact_number, `bsuid:${person.user_id}`);
  const [chat] = (await api('GET', `/conversations?device_id=${number.deviceId}`)).body.data;
  const answer = await api('POST', `/conversations/${chat.id}/messages`, { body: { text: 'Hello Cleo' } });
  await untilSettled(number, answer.body.data.id, 'delivered');
});

test('sends short options as buttons, others as a list, and the contact chooses', async () => {
  const number = await app.addNumber();
  const ann = await addWriter(number);
  const choices = { options: [{ title: 'Yes', id: 'yes' }, { title: 'No' }] };
  assert.equal((await send(number, ann, { message: 'Shall we deliver?', choices })).status, 200);
  const many = {
    button: 'Choose',
    options: ['Mon', 'Tue', 'Wed', 'Thu'].map((title) => ({ title, description: 'from 9' })),
  };
  const { data } = await send(number, ann, { message: 'Which day?', choices: many });
  await untilSettled(number, data.messageId, 'delivered');
  const [buttons, days] = (await graph.sent(number.phone)).map(({ body }) => body['interactive']);
  assert.deepEqual(buttons, {
    type: 'button',
    body: { text: 'Shall we deliver?' },
    action: {
      buttons: [
        { type: 'reply', reply: { id: 'yes', title: 'Yes' } },
        { type: 'reply', reply: { id: 'No', title: 'No' } },
      ],
    },
  });
  assert.equal((days as { type: string }).type, 'list');
  const same = { options: [{ title: 'A' }, { title: 'A' }] };
  assert.equal((await send(number, ann, { choices: same })).status, 400);
  assert.equal((await send(number, ann, { choices, send_as_audio: true })).status, 400);
  assert.equal((await send(number, ann, { choices: { options: [] } })).status, 400);
});

test('a network without buttons shows options as lines', async () => {
  const { teamId, botId } = await addTeamWithBot(app.context.db);
  const deviceId = await addDevice(app, { teamId, botId });
  await linkDevice(app, deviceId, '+15550100');
  const { status } = await api('POST', '/send', {
    body: {
      device_id: deviceId,
      destination_number: '+15550177',
      message: 'Shall we deliver?',
      choices: { options: [{ title: 'Yes' }, { title: 'No', description: 'I come' }] },
    },
  });
  assert.equal(status, 200);
  const [shown] = await app.network.received('+15550177', '+15550100');
  assert.equal(shown?.text, 'Shall we deliver?\n\n1. Yes\n2. No (I come)');
});
