import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { newPerson, startCloudApp } from '../../test/cloud-numbers.ts';
import { eventually } from '../../test/eventually.ts';
import { damaged } from '../../test/hostile-pushes.ts';

const app = await startCloudApp();
const { api, graph } = app;
await app.startPool();
const number = await app.addNumber();
const metadata = { phone_number_id: number.phone, display_phone_number: '15550200001' };
const identity = { wa_id: '15550990001', user_id: 'US.1234567890' };

let keys = 0;
/** Each push replaces it by a new id. Otherwise only the first one would be stored. */
const fresh = 'FRESH';
const inEntry = (field: string, value: object) => ({
  object: 'whatsapp_business_account',
  entry: [{ id: number.credentials.waba_id, changes: [{ field, value }] }],
});
const messageBody = (content: object) => {
  const message = {
    id: fresh,
    from: '15550990001',
    from_user_id: identity.user_id,
    timestamp: '1790000000',
  };
  const profile = { ...identity, profile: { name: 'Ann', username: 'ann' } };
  return inEntry('messages', { metadata, contacts: [profile], messages: [{ ...message, ...content }] });
};

const media = { id: '123456', mime_type: 'image/png', caption: 'A boat', filename: 'boat.png', voice: true };
const product = { product_retailer_id: 'helmet', quantity: 2, item_price: 9.5, currency: 'EUR' };
const bodies = [
  ...[
    { type: 'text', text: { body: 'Hello' }, context: { id: 'wamid.0', from: '1555' } },
    ...['image', 'audio', 'video', 'document', 'sticker'].map((type) => ({ type, [type]: media })),
    { type: 'location', location: { latitude: 1.5, longitude: 2.5, name: 'Dock', address: 'Quay 1' } },
    {
      type: 'contacts',
      contacts: [
        {
          name: { formatted_name: 'Bo' },
          phones: [{ phone: '+1555' }],
          emails: [{ email: 'bo@example.com' }],
        },
      ],
    },
    { type: 'reaction', reaction: { message_id: 'wamid.0', emoji: '👍' } },
    { type: 'button', button: { text: 'Yes', payload: 'yes' } },
    { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } } },
    {
      type: 'interactive',
      interactive: { type: 'list_reply', list_reply: { id: 'a', title: 'A', description: 'B' } },
    },
    {
      type: 'interactive',
      interactive: { type: 'nfm_reply', nfm_reply: { body: 'Sent', name: 'flow', response_json: '{}' } },
    },
    { type: 'order', order: { catalog_id: '1', text: 'Please', product_items: [product] } },
    {
      type: 'edit',
      edit: { original_message_id: 'wamid.0', message: { id: 'x', type: 'text', text: { body: 'new' } } },
    },
    { type: 'revoke', revoke: { original_message_id: 'wamid.0' } },
    {
      type: 'system',
      system: {
        type: 'user_changed_number',
        wa_id: '15550990002',
        user_id: 'US.2',
        previous_user_id: 'US.1',
      },
    },
    { type: 'unsupported', errors: [{ code: 131051, title: 'Unsupported' }] },
  ].map(messageBody),
  inEntry('messages', {
    metadata,
    statuses: [
      {
        id: fresh,
        status: 'failed',
        timestamp: '1790000000',
        recipient_id: '15550990001',
        recipient_user_id: 'US.1',
        biz_opaque_callback_data: 'mine',
        pricing: { billable: true, category: 'utility', pricing_model: 'PMP', type: 'regular' },
        errors: [{ code: 131026, title: 'Undeliverable' }],
      },
    ],
  }),
  inEntry('smb_message_echoes', {
    metadata,
    message_echoes: [
      {
        id: fresh,
        to: '15550990001',
        to_user_id: 'US.1',
        type: 'text',
        text: { body: 'From the app' },
      },
    ],
  }),
  inEntry('message_template_status_update', { event: 'APPROVED', message_template_name: 'a', reason: null }),
];

const push = (body: object) => {
  keys += 1;
  const text = JSON.stringify(body).replaceAll(fresh, `wamid.${keys}`);
  const signature = createHmac('sha256', number.credentials.app_secret).update(text).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
  return fetch(number.webhookUrl, { method: 'POST', headers, body: text });
};

test('damaged events of the official network keep no later message and no list from its readers', async () => {
  await fc.assert(
    fc.asyncProperty(damaged(bodies), async (body) => {
      assert.equal((await push(body)).status, 200);
    }),
    { numRuns: 400 },
  );
  const ann = newPerson();
  await graph.write(number.phone, ann, 'Are you there?');
  await eventually(async () => {
    const { status, body } = await api('GET', `/messages?device_id=${number.deviceId}`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.ok(body.data.some(({ text }: { text: string }) => text === 'Are you there?'));
  });
  assert.equal((await api('GET', `/conversations?device_id=${number.deviceId}`)).status, 200);
  const { meta } = (await api('GET', `/messages?device_id=${number.deviceId}`)).body;
  assert.ok(meta.total > 50, 'many of them say something');
  for (let page = 1; page <= 5; page += 1)
    assert.equal(
      (await api('GET', `/messages?device_id=${number.deviceId}&page=${page}&limit=100`)).status,
      200,
    );
});

test('takes events whose texts are longer than any index', async () => {
  const long = randomBytes(9000).toString('base64');
  const named = { id: 'wamid.long', from: long, from_user_id: long };
  for (const value of [
    { metadata, messages: [{ ...named, id: long, type: 'text', text: { body: 'Hello' } }] },
    { metadata, messages: [{ ...named, type: long, context: { id: long } }] },
    { metadata, statuses: [{ id: 'wamid.long', status: long, biz_opaque_callback_data: long }] },
    { metadata, statuses: [{ id: 'wamid.long', status: 'sent', biz_opaque_callback_data: long }] },
  ])
    assert.equal((await push(inEntry('messages', value))).status, 200);
  assert.equal((await push(inEntry(long, { metadata }))).status, 200);
  await graph.write(number.phone, newPerson(), 'Are you still there?');
  await eventually(async () => {
    const { data } = (await api('GET', `/messages?device_id=${number.deviceId}`)).body;
    assert.ok(data.some(({ text }: { text: string }) => text === 'Are you still there?'));
  });
});
