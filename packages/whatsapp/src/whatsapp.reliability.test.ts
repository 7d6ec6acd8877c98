import '../test/unref-long-timers.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createMessagingNetwork } from '../../../server/src/ports/messaging-network/create-messaging-network.ts';
import { describeMessagingNetwork } from '../../../server/src/ports/messaging-network/messaging-network.contract.ts';
import type { NetworkRig } from '../../../server/src/ports/messaging-network/network-under-test.ts';
import { startFakeProcess } from '../test/fake-process.ts';
import { WhatsappNetwork } from './whatsapp.ts';

const silent = { debug: () => {}, warn: () => {}, error: () => {} };

const loginFaults = {
  suspended: 'refuse_logins_402',
  client_outdated: 'refuse_logins_405',
  unavailable: 'refuse_logins_503',
} as const;

async function createRig(): Promise<NetworkRig> {
  const fake = await startFakeProcess();
  setDefaultCACertificates([...getCACertificates(), fake.certificate]);
  return {
    openNetwork: () => new WhatsappNetwork({ version: '2.3000.1', logger: silent }, fake.url),
    scan: fake.scan,
    write: async (message) => void (await fake.write(message)),
    received: fake.received,
    writeImage: async ({ caption, bytes, ...chat }) =>
      void (await fake.writeMedia(chat, { kind: 'image', mimetype: 'image/png', caption }, bytes)),
    react: async ({ about, emoji, ...chat }) => {
      const reactionMessage = { key: { id: about, fromMe: true }, text: emoji };
      await fake.writeContent(chat, { reactionMessage });
    },
    unknownNumber: '+9995550100',
    drop: (device) => fake.injectFault(device, 'drop'),
    unlink: (device) => fake.injectFault(device, 'unlink'),
    ban: (device) => fake.injectFault(device, 'ban'),
    restrict: (device) => fake.injectFault(device, 'restrict'),
    refuseLogins: (device, reason) => fake.injectFault(device, loginFaults[reason]),
    refuseNext: (device) => fake.injectFault(device, 'refuse_next'),
    loseNextAck: (device) => fake.injectFault(device, 'lose_next'),
    close: fake.close,
  };
}

describeMessagingNetwork('whatsapp', createRig);

test('the server loads the adapter when MESSAGING_NETWORK is whatsapp', async () => {
  const network = await createMessagingNetwork(
    'whatsapp',
    {
      simulatorUrl: () => '',
      whatsappCloud: { baseUrl: '', maxMediaBytes: 0 },
      telegram: { baseUrl: '', webhookUrl: () => '' },
      whatsapp: { version: '2.3000.1' },
    },
    silent,
  );
  assert.ok(network instanceof WhatsappNetwork);
  await network.close();
});
