import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { newPhone } from '../../../server/test/devices.ts';
import { eventually } from '../../../server/test/eventually.ts';
import { startRig } from './rig.ts';

const [contact, other] = ['+15550199', '+15550198'];
const image = { kind: 'image', mimetype: 'image/png', caption: 'a receipt' };
/** Less than the deadline of a download. */
const soonMs = 20_000;

describe('a pool whose media host does not respond', { timeout: 240_000 }, async () => {
  const rig = await startRig();
  const { fake } = rig;
  let pool = await rig.startPool();
  const phone = newPhone();
  const device = await rig.link(phone);
  const bytes = randomBytes(100_000);
  const readMessages = async (number: string): Promise<Record<string, string>[]> => {
    const query = `device_id=${device}&contact_number=${encodeURIComponent(number)}`;
    return (await rig.api('GET', `/messages?${query}`)).body.data.toReversed();
  };
  const readTexts = async (number: string) => (await readMessages(number)).map(({ text }) => text);
  const readDelivered = async () =>
    (await fake.journal()).flatMap((entry) => (entry.type === 'delivered' ? [entry.id] : []));

  test('stores the messages of other chats, and confirms all, while a download hangs', async () => {
    await fake.injectFault(phone, 'media_hang');
    const file = await fake.writeMedia({ from: contact, to: phone }, image, bytes);
    await fake.injectFault(phone, 'media_up');
    const behind = await fake.write({ from: contact, to: phone, text: 'behind the file' });
    await fake.write({ from: other, to: phone, text: 'one' });
    await fake.write({ from: other, to: phone, text: 'two' });
    await eventually(async () => assert.deepEqual(await readTexts(other), ['one', 'two']), soonMs);
    await eventually(async () => {
      const delivered = await readDelivered();
      assert.ok(delivered.includes(file) && delivered.includes(behind));
    }, soonMs);
    assert.deepEqual(await readTexts(contact), []);
  });

  test('and is killed loses no confirmed message: the next pool downloads the file', async () => {
    pool.child.kill('SIGKILL');
    await pool.ended;
    await fake.injectFault(phone, 'media_repair');
    pool = await rig.startPool();
    const expected = ['a receipt', 'behind the file'];
    await eventually(async () => assert.deepEqual(await readTexts(contact), expected), 60_000);
    const [stored] = await readMessages(contact);
    const { status, bytes: downloaded } = await rig.api('GET', `/messages/${stored?.['id']}/media`);
    assert.equal(status, 200);
    assert.ok(bytes.equals(downloaded));
    assert.deepEqual(await readTexts(other), ['one', 'two']);
  });
});
