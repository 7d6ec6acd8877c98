import '../test/unref-long-timers.ts';
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { NetworkSession } from '@parley/server/messaging-network';
import { DeviceUnderTest } from '../../../server/src/ports/messaging-network/device-under-test.ts';
import { eventually } from '../../../server/test/eventually.ts';
import type { Addressing } from '../test/fake-network/accounts.ts';
import { type FakeProcess, startFakeProcess } from '../test/fake-process.ts';
import { WhatsappNetwork } from './whatsapp.ts';

const logger = { debug: () => {}, warn: () => {}, error: () => {} };
const rounds = 4;
const messagesPerRound = 6;

describe('messages that cross each other after a restart', { timeout: 120_000 }, () => {
  let fake: FakeProcess;
  let network: WhatsappNetwork;
  before(async () => {
    fake = await startFakeProcess();
    network = new WhatsappNetwork({ version: null, logger }, fake.url);
  });
  after(async () => {
    await network.close();
    await fake.close();
  });

  const kinds: Addressing[] = ['lid', 'pn', 'pn_only'];
  for (const [index, addressing] of kinds.entries()) {
    it(`can all be decrypted with the encryption sessions from before, with addresses of kind ${addressing}`, async () => {
      const [phone, contact] = [`+1555300${index}`, `+1555310${index}`];
      await fake.address(contact, addressing);
      const device = new DeviceUnderTest();
      let session = device.open(network);
      assert.equal(await fake.scan((await device.waitFor('qr')).text, phone), true);
      await device.waitFor('up');
      const send = (networkId: string) =>
        session.send(
          { networkId, to: contact, content: { kind: 'text', text: networkId } },
          AbortSignal.timeout(30_000),
        );
      // The library cannot begin a chat with a contact whose LID it does not know.
      await fake.write({ from: contact, to: phone, text: 'greeting' });
      await device.waitFor('inbound');
      await send(`greeting-${index}`);
      for (let round = 0; round < rounds; round += 1) {
        session = await restart(session, device, network);
        for (let n = 0; n < messagesPerRound; n += 1) {
          const id = `${index}-${round}-${n}`;
          await Promise.all([send(id), fake.write({ from: contact, to: phone, text: id })]);
        }
        // A message of the phone crosses those to its contact.
        await fake.write({ from: phone, to: contact, text: `own ${round}` });
      }
      const total = 1 + rounds * (messagesPerRound + 1);
      await eventually(async () => assert.equal(new Set(device.texts()).size, total));
      const journal = await fake.journal();
      const ofDevice = journal.filter((entry) => 'device' in entry && entry.device === phone);
      const unreadable = ofDevice.filter(({ type }) => ['retry', 'undecryptable', 'nack'].includes(type));
      assert.deepEqual(unreadable, []);
      const begun = ofDevice.filter((entry) => entry.type === 'sent' && entry.envelope === 'pkmsg');
      assert.deepEqual(begun, [], 'began new encryption sessions');
      await session.close();
    });
  }
});

async function restart(
  session: NetworkSession,
  device: DeviceUnderTest,
  network: WhatsappNetwork,
): Promise<NetworkSession> {
  const times = device.all('up').length;
  await session.close();
  await device.waitFor('down', times - 1);
  const next = device.open(network);
  await device.waitFor('up', times);
  return next;
}
