import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startSimulator } from '@parley/simulator';
import { startTestApp } from '../../../test/harness.ts';
import { simulatorRoutes } from './simulator.routes.ts';

const logger = { info() {}, warn() {}, error() {} };

test('forwards requests to the simulator unchanged, with any content type on a GET', async () => {
  const simulator = await startSimulator({ dataDir: null, host: '127.0.0.1', port: 0, logger });
  after(() => simulator.close());
  const { baseUrl } = await startTestApp({
    routes: ({ hosts }) => [simulatorRoutes({ simulatorUrl: () => simulator.url, hosts })],
  });
  const chat = `${baseUrl}/simulator/messages?contact=%2B15550199&device=%2B15550100`;
  for (const headers of [{}, { 'content-type': 'application/json' }] as Record<string, string>[]) {
    const response = await fetch(chat, { headers });
    assert.deepEqual(await response.json(), { success: true, data: [] });
  }
  const refused = await fetch(`${baseUrl}/simulator/scan`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ qr: 'nothing', phone_number: '+15550100' }),
  });
  assert.equal(refused.status, 400);
  assert.equal(((await refused.json()) as { details: { reason: string } }).details.reason, 'qr_unknown');
});
