import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { newPerson, newUser, startCloudApp } from '../../../test/cloud-numbers.ts';
import { eventually } from '../../../test/eventually.ts';

const app = await startCloudApp({
  MESSAGE_PRICES: 'EUR: utility=0.03, utility/1555=0.0456, utility/49=0.2, service/1555=0.01',
});
const { api, graph } = app;
await app.startPool();
const number = await app.addNumber();

const template = { name: 'order_ready', language: 'en', parameters: [] };

async function approveTemplate(): Promise<void> {
  const path = `/devices/${number.deviceId}/templates`;
  const body = { name: template.name, language: 'en', category: 'utility', body: 'Your order is ready.' };
  assert.equal((await api('POST', path, { body })).status, 200);
  await graph.review(number.phone, template.name, 'APPROVED');
  await eventually(async () => {
    const [found] = (await api('GET', path)).body.data;
    assert.equal(found.state, 'approved');
  });
}

async function sendTemplate(): Promise<string> {
  const { status, body } = await api('POST', '/send', {
    body: {
      device_id: number.deviceId,
      destination_number: `+${newPerson().wa_id}`,
      message: 'Your order is ready.',
      template,
    },
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.messageId;
}

/** Returns the price of a message that was delivered. */
const untilDelivered = (id: string): Promise<object> =>
  eventually(async () => {
    const { status, pricing } = (await api('GET', `/messages/${id}`)).body.data;
    assert.equal(status, 'delivered');
    return pricing;
  });

const usage = async () => (await api('GET', `/teams/${number.teamId}/usage`)).body.data.message_prices;

test('counts each message once when its statuses come early, doubled and in reverse order', async () => {
  await approveTemplate();
  const utility = { category: 'utility', billable: true, amount: 0.0456, currency: 'EUR' };
  await graph.deliver({ copies: 3 });
  await graph.fail({ kind: 'status_first' });
  assert.deepEqual(await untilDelivered(await sendTemplate()), utility);
  await graph.deliver({ copies: 2, reverse: 2 });
  assert.deepEqual(await untilDelivered(await sendTemplate()), utility);
  await graph.deliver({ copies: 1, reverse: 0 });
  await graph.fail({ kind: 'fail_later', code: 131049 });
  const failed = await sendTemplate();
  await eventually(async () => {
    const { status, pricing } = (await api('GET', `/messages/${failed}`)).body.data;
    assert.deepEqual([status, pricing], ['refused', undefined]);
  });
  const counts = { currency: 'EUR', not_billable: 0, without_price: 0 };
  assert.deepEqual(await usage(), [{ ...counts, category: 'utility', billable: 2, amount: 0.0912 }]);
});

test('charges nothing for a message to a contact without a number that the network does not bill', async () => {
  await graph.write(number.phone, newUser(), 'I have a user name');
  const chat = await eventually(async () => {
    const [found] = (await api('GET', `/conversations?device_id=${number.deviceId}`)).body.data;
    assert.match(found.contact_number, /^bsuid:/);
    return found;
  });
  const reply = await api('POST', `/conversations/${chat.id}/messages`, { body: { text: 'Hello' } });
  const service = { category: 'service', billable: false, amount: 0, currency: 'EUR' };
  assert.deepEqual(await untilDelivered(reply.body.data.id), service);
  assert.deepEqual((await usage())[0], {
    category: 'service',
    currency: 'EUR',
    billable: 0,
    not_billable: 1,
    without_price: 0,
    amount: 0,
  });
});

test('counts a category that is no name as unknown', async () => {
  for (const category of ['x'.repeat(3000), 'a b', '', 'Café']) {
    // The statuses of the network itself wait.
    await graph.deliver({ reverse: 99 });
    const id = await sendTemplate();
    const status = {
      id: `wamid.${id}`,
      status: 'delivered',
      biz_opaque_callback_data: id.replaceAll('-', ''),
      pricing: { billable: true, category },
    };
    const metadata = { phone_number_id: number.phone };
    const changes = [{ field: 'messages', value: { metadata, statuses: [status] } }];
    const body = JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: number.credentials.waba_id, changes }],
    });
    const signature = createHmac('sha256', number.credentials.app_secret).update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
    assert.equal((await fetch(number.webhookUrl, { method: 'POST', headers, body })).status, 200);
    const unknown = { category: 'unknown', billable: true, amount: null, currency: 'EUR' };
    assert.deepEqual(await untilDelivered(id), unknown);
  }
  const counted = (await usage()).find(({ category }: { category: string }) => category === 'unknown');
  assert.deepEqual(counted, {
    category: 'unknown',
    currency: 'EUR',
    billable: 4,
    not_billable: 0,
    without_price: 4,
    amount: null,
  });
});
