import assert from 'node:assert/strict';
import { once } from 'node:events';
import { it } from 'node:test';
import { startSimulator } from '@parley/simulator';
import { devicesPath } from '@parley/simulator/protocol';
import { WebSocketServer } from 'ws';
import { getUrl } from '../../platform/shared/listening.ts';
import { DeviceUnderTest } from './device-under-test.ts';
import { describeMessagingNetwork } from './messaging-network.contract.ts';
import { NotOwner } from './messaging-network.ts';
import type { NetworkRig } from './network-under-test.ts';
import { SimulatorNetwork } from './simulator.ts';

const silent = { info: () => {}, warn: () => {}, error: () => {} };

async function createRig(): Promise<NetworkRig> {
  const simulator = await startSimulator({ dataDir: null, host: '127.0.0.1', port: 0, logger: silent });
  const call = async (path: string, body: object): Promise<number> => {
    const response = await fetch(`${simulator.url}/simulator/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return response.status;
  };
  const order = async (device: string, fault: string) => {
    assert.equal(await call('faults', { device, fault, ms: 600_000 }), 200);
  };
  return {
    openNetwork: () => new SimulatorNetwork(() => simulator.url, silent),
    scan: async (qr, phoneNumber) => (await call('scan', { qr, phone_number: phoneNumber })) === 200,
    write: async (message) => assert.equal(await call('messages', message), 200),
    received: async (contact, device) => {
      const query = new URLSearchParams({ contact, device });
      const response = await fetch(`${simulator.url}/simulator/messages?${query}`);
      // The simulator's own tests check this shape.
      const { data } = (await response.json()) as {
        data: { id: string; kind: string; direction: string; text: string | null; bytes: number | null }[];
      };
      return data.filter(({ direction }) => direction === 'out');
    },
    writeImage: async ({ caption, bytes, ...chat }) => {
      const base64 = Buffer.from(bytes).toString('base64');
      assert.equal(await call('messages', { ...chat, text: caption, image_base64: base64 }), 200);
    },
    react: async ({ about, emoji, ...chat }) => {
      const details = { type: 'reaction', emoji, about };
      assert.equal(await call('messages', { ...chat, text: `[reaction ${emoji}]`, details }), 200);
    },
    unknownNumber: '+9995550100',
    drop: (device) => order(device, 'drop'),
    unlink: (device) => order(device, 'logout'),
    ban: (device) => order(device, 'ban'),
    restrict: (device) => order(device, 'restrict'),
    refuseLogins: (device, reason) => order(device, reason),
    refuseNext: (device) => order(device, 'refuse_next'),
    loseNextAck: (device) => order(device, 'lose_ack_next'),
    close: () => simulator.close(),
  };
}

describeMessagingNetwork('simulator', createRig);

it('closes a session without logging an error when the device has another owner', async () => {
  const simulator = await startSimulator({ dataDir: null, host: '127.0.0.1', port: 0, logger: silent });
  const errors: unknown[] = [];
  const network = new SimulatorNetwork(() => simulator.url, {
    ...silent,
    error: (...line: unknown[]) => void errors.push(line),
  });
  const device = new DeviceUnderTest();
  device.handlers = { qr: () => Promise.reject(new NotOwner('a device')) };
  device.open(network);
  assert.equal((await device.waitFor('down')).reason, 'closed');
  await network.close();
  await simulator.close();
  assert.deepEqual(errors, []);
});

it('shows each code in turn, then goes down with qr_timeout', async () => {
  const simulator = await startSimulator({
    dataDir: null,
    host: '127.0.0.1',
    port: 0,
    logger: silent,
    qrLifetimesMs: [20, 10, 10],
  });
  const network = new SimulatorNetwork(() => simulator.url, silent);
  const device = new DeviceUnderTest();
  device.open(network);
  assert.equal((await device.waitFor('down')).reason, 'qr_timeout');
  assert.equal(new Set(device.all('qr').map(({ text }) => text)).size, 3);
  await network.close();
  await simulator.close();
});

it('reports a lost connection while the simulator is unreachable, and reconnects when it is back', async () => {
  const options = { dataDir: null, host: '127.0.0.1', port: 0, logger: silent };
  let simulator = await startSimulator(options);
  const warnings: string[] = [];
  const record = (...line: unknown[]) => void warnings.push(String(line[1]));
  const network = new SimulatorNetwork(() => simulator.url, { warn: record, error: record });
  const device = new DeviceUnderTest();
  device.open(network);
  await device.waitFor('qr');
  await simulator.close();
  assert.equal((await device.waitFor('down')).reason, 'connection_lost');
  for (const time of [1, 2]) {
    device.open(network);
    assert.equal((await device.waitFor('down', time)).reason, 'connection_lost');
  }
  assert.deepEqual(warnings, ['the simulated network is unreachable; devices retry until it is back']);
  // Uses another port, because another process may have taken the old one.
  simulator = await startSimulator(options);
  device.open(network);
  await device.waitFor('qr', 1);
  await network.close();
  await simulator.close();
});

it('reports a lost connection when the simulator stops responding on an open socket', async () => {
  const silentServer = new WebSocketServer({
    host: '127.0.0.1',
    port: 0,
    path: devicesPath,
    autoPong: false,
  });
  await once(silentServer, 'listening');
  const network = new SimulatorNetwork(() => getUrl('127.0.0.1', silentServer), silent, 20);
  const device = new DeviceUnderTest();
  device.open(network);
  assert.equal((await device.waitFor('down')).reason, 'connection_lost');
  await network.close();
  silentServer.close();
});
