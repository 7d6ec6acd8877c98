import '../test/unref-long-timers.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../../../server/test/eventually.ts';
import { setUpDevices } from '../test/linked-devices.ts';
import { WhatsappNetwork } from './whatsapp.ts';

describe('connections that the network refuses', { timeout: 120_000 }, () => {
  const under = setUpDevices({ fetchVersion: async () => [2, 3000, 99] });

  for (const [index, [code, reason]] of [
    [401, 'logged_out'],
    [402, 'suspended'],
    [403, 'logged_out'],
    [405, 'client_outdated'],
    [406, 'banned'],
    [409, 'unavailable'],
    [500, 'unavailable'],
    [503, 'unavailable'],
  ].entries()) {
    it(`goes down with ${reason} for the code ${code}`, async () => {
      const { device, phone } = await under.link(`+1555600${index}`);
      await under.fake.injectFault(phone, `refuse_logins_${Number(code)}`);
      const down = await device.waitFor('down');
      assert.equal(down.reason, reason);
      if (code === 402) assert.ok((down.until?.getTime() ?? 0) > Date.now() + 3_500_000);
      else assert.equal(down.until, undefined);
      device.open(under.network);
      assert.equal((await device.waitFor('down', 1)).reason, reason);
      assert.equal((await under.entries('login_refused', phone)).length, 1);
    });
  }

  it('connects with the newest version after the network refused an older one', async () => {
    const { device, phone } = await under.link('+15556101');
    await under.fake.injectFault(phone, 'fail_405');
    assert.equal((await device.waitFor('down')).reason, 'client_outdated');
    device.open(under.network);
    await device.waitFor('up', 1);
    const versions = (await under.entries('login', phone)).map(({ version }) => version);
    assert.equal(versions.at(-1), '2.3000.99');
  });

  it('keeps a configured version and logs the variable to change', async () => {
    const problems: string[] = [];
    const error = (_: object, problem: string) => void problems.push(problem);
    const logger = { debug: () => {}, warn: () => {}, error };
    const network = new WhatsappNetwork({ version: '2.3000.1', logger }, under.fake.url);
    const { device, phone, session } = await under.link('+15556102');
    await session().close();
    await device.waitFor('down');
    device.open(network);
    await device.waitFor('up', 1);
    await under.fake.injectFault(phone, 'fail_405');
    await device.waitFor('down', 1);
    await eventually(async () => assert.ok(problems.some((each) => each.includes('WHATSAPP_VERSION'))));
    device.open(network);
    await device.waitFor('up', 2);
    assert.equal((await under.entries('login', phone)).at(-1)?.version, '2.3000.1');
    await network.close();
  });
});
