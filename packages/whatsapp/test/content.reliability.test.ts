import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newPhone } from '../../../server/test/devices.ts';
import { eventually } from '../../../server/test/eventually.ts';
import { startRig } from './rig.ts';

const contact = '+15550199';

describe('what contacts send', { timeout: 240_000 }, async () => {
  const rig = await startRig();
  const { fake } = rig;
  let pool = await rig.startPool();

  const link = async () => {
    const phone = newPhone();
    return { phone, device: await rig.link(phone), chat: { from: contact, to: phone } };
  };
  const waitForMessages = (device: string, count: number) =>
    eventually(async () => {
      const { data } = (await rig.api('GET', `/messages?device_id=${device}&direction=in`)).body;
      assert.equal(data.length, count);
      return data.toReversed();
    });
  const restart = async (device: string) => {
    pool.child.kill('SIGKILL');
    await pool.ended;
    pool = await rig.startPool();
    await rig.until(device, ({ connected }) => connected === true);
  };

  test('edits with the encryption of today, also after the pool was killed', async () => {
    const { phone, device, chat } = await link();
    const id = await fake.write({ ...chat, text: 'at nine' });
    await waitForMessages(device, 1);
    await restart(device);
    await fake.edit({ ...chat, id, text: 'at ten' });
    const [message, edit] = await waitForMessages(device, 2);
    assert.deepEqual([message.text, message.details.original_text], ['at ten', 'at nine']);
    assert.deepEqual([edit.text, edit.details.type], ['[edited] at ten', 'edit']);
    await fake.address(contact, 'pn');
    await fake
      .edit({ from: contact, to: phone, id, text: 'at noon' })
      .finally(() => fake.address(contact, 'lid'));
    const [again] = await waitForMessages(device, 3);
    assert.equal(again.text, 'at noon');
  });

  test('a vote with its option, in a poll of either side', async () => {
    const { phone, device, chat } = await link();
    const options = [{ optionName: 'Monday' }, { optionName: 'Tuesday' }];
    const poll = { pollCreationMessageV3: { name: 'Which day?', options } };
    const theirs = await fake.writeContent(chat, poll);
    const ours = await fake.writeContent({ from: phone, to: contact }, poll);
    await waitForMessages(device, 1);
    await fake.vote({ ...chat, id: theirs }, ['Monday']);
    await fake.vote({ ...chat, id: ours }, ['Tuesday']);
    await fake.vote({ ...chat, id: ours }, []);
    const [, ...votes] = await waitForMessages(device, 4);
    assert.deepEqual(
      votes.map(({ text, details }: { text: string; details: { options: string[] } }) => [
        text,
        details.options,
      ]),
      [
        ['[vote in a poll: Monday]', ['Monday']],
        ['[vote in a poll: Tuesday]', ['Tuesday']],
        ['[took back a vote in a poll]', []],
      ],
    );
  });

  test('an order with its products, and without them if the network does not return them', async () => {
    const { device, chat } = await link();
    const order = { orderId: 'O1', itemCount: 3, totalAmount1000: 55_000, totalCurrencyCode: 'EUR' };
    const write = (token: string) =>
      fake.writeContent(chat, { orderMessage: { ...order, token, message: 'for Monday' } });
    await write('TOKEN');
    await write('EXPIRED');
    const [known, unknown] = await waitForMessages(device, 2);
    assert.equal(known.text, '[order: 2 × Tandem (25 EUR), 1 × Helmet (5 EUR); total 55 EUR]\nfor Monday');
    assert.deepEqual(known.details, {
      type: 'order',
      order_id: 'O1',
      item_count: 3,
      amount: 55,
      currency: 'EUR',
      items: [
        { name: 'Tandem', id: 'T1', quantity: 2, amount: 25, currency: 'EUR' },
        { name: 'Helmet', id: 'H1', quantity: 1, amount: 5, currency: 'EUR' },
      ],
    });
    assert.equal(unknown.text, '[order: 3 items; total 55 EUR]\nfor Monday');
  });

  test('pictures that may be viewed once, missed calls, and kinds that Parley does not know', async () => {
    const { device, chat } = await link();
    await fake.describe(contact, { name: 'Inés' });
    await fake.writePlaceholder({ ...chat, text: 'hidden', type: 'view_once' });
    await waitForMessages(device, 1);
    const reply = { missed_call_reply: 'Please write to us.' };
    const patched = await rig.api('PATCH', `/devices/${device}`, { body: reply });
    assert.equal(patched.body.data.missed_call_reply, reply.missed_call_reply);
    await fake.call({ ...chat, accepted: 'yes' });
    await fake.call({ ...chat, video: 'yes' });
    await waitForMessages(device, 2);
    await eventually(async () => {
      const texts = (await fake.received(contact, chat.to)).map(({ text }) => text);
      assert.deepEqual(texts, [reply.missed_call_reply]);
    });
    const removed = await rig.api('PATCH', `/devices/${device}`, { body: { missed_call_reply: null } });
    assert.equal('missed_call_reply' in removed.body.data, false);
    await fake.writeContent(chat, { call: { conversionSource: 'ad' } });
    const messages = await waitForMessages(device, 3);
    assert.deepEqual(
      messages.map(({ text, details }: { text: string; details: object }) => ({ text, ...details })),
      [
        { text: '[view-once message]', type: 'view_once' },
        { text: '[missed call]', type: 'call', video: true },
        { text: '[unsupported message: call]', type: 'unsupported', content_type: 'call' },
      ],
    );
    assert.ok(messages.every(({ contact_number: number }: { contact_number: string }) => number === contact));
    const confirmed = async () => (await fake.journal()).filter(({ type }) => type === 'delivered').length;
    await eventually(async () => assert.ok((await confirmed()) > 0));
  });
});
