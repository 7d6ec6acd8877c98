import '../test/unref-long-timers.ts';
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DeviceUnderTest } from '../../../server/src/ports/messaging-network/device-under-test.ts';
import { reservePort } from '../../../server/test/reserved-port.ts';
import { startFakeProcess } from '../test/fake-process.ts';
import { WhatsappNetwork } from './whatsapp.ts';

const version = '2.3000.1';

function recordWarnings() {
  const warnings: { fields: object; message: string }[] = [];
  const logger = {
    debug: () => {},
    warn: (fields: object, message: string) => void warnings.push({ fields, message }),
    error: () => {},
  };
  return { warnings, logger };
}

it('logs the reason why the network is unreachable', { timeout: 60_000 }, async () => {
  const { port, release } = await reservePort();
  const { warnings, logger } = recordWarnings();
  const network = new WhatsappNetwork({ version, logger }, `ws://127.0.0.1:${port}`);
  const device = new DeviceUnderTest();
  device.open(network);
  assert.equal((await device.waitFor('down')).reason, 'connection_lost');
  await network.close();
  const [warning, ...more] = warnings;
  assert.deepEqual(more, []);
  assert.equal(warning?.message, 'the network could not be reached');
  assert.match(JSON.stringify(warning?.fields), /ECONNREFUSED/);
  await release();
});

it('logs no warning when a connection ends after the first frame', { timeout: 60_000 }, async () => {
  const fake = await startFakeProcess();
  const { warnings, logger } = recordWarnings();
  const network = new WhatsappNetwork({ version, logger }, fake.url);
  const device = new DeviceUnderTest();
  device.open(network);
  await device.waitFor('qr');
  await fake.close();
  assert.equal((await device.waitFor('down')).reason, 'connection_lost');
  await network.close();
  assert.deepEqual(warnings, []);
});
