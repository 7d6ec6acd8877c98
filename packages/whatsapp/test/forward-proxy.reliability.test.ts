import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { newPhone } from '../../../server/test/devices.ts';
import { eventually } from '../../../server/test/eventually.ts';
import { startForwardProxy } from './forward-proxy.ts';
import { startRig } from './rig.ts';

const contact = '+15550199';
const isConnected = ({ connected }: Record<string, unknown>) => connected === true;

describe('a pool behind a forward proxy', { timeout: 60_000 }, async () => {
  const rig = await startRig();
  const proxy = await startForwardProxy();
  after(proxy.close);
  await rig.startPool({
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: proxy.url,
    HTTPS_PROXY: proxy.url,
    NO_PROXY: '',
  });

  test('connects devices and downloads files only through the proxy', async () => {
    const phone = newPhone();
    const device = await rig.link(phone);
    assert.deepEqual([...proxy.targets], [new URL(rig.fake.url).host]);
    const bytes = Buffer.from('89504e470d0a1a0a0000', 'hex');
    await rig.fake.writeMedia({ from: contact, to: phone }, { kind: 'image', mimetype: 'image/png' }, bytes);
    const message = await eventually(async () => {
      const { body } = await rig.api('GET', `/messages?device_id=${device}`);
      assert.equal(body.data.length, 1);
      return body.data[0];
    });
    const file = await rig.api('GET', `/messages/${message.id}/media`);
    assert.deepEqual(Buffer.from(file.bytes), bytes);
    assert.equal(proxy.targets.size, 2);
    proxy.close();
    await rig.until(device, (status) => !isConnected(status));
  });
});
