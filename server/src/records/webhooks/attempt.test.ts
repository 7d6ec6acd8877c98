import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { attempt } from './attempt.ts';

test('fails after 15 seconds if the receiver accepts the request and never responds', async (t) => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;
  const session = createOutbound({ allowedHosts: [host] }).open(`http://${host}/`, { connections: 1 });
  after(async () => {
    await session.close();
    silent.close();
  });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const outcome = attempt(session, '{}', {});
  let ended = false;
  void outcome.finally(() => {
    ended = true;
  });
  await once(silent, 'request');
  t.mock.timers.tick(14_999);
  await new Promise(setImmediate);
  assert.equal(ended, false);
  t.mock.timers.tick(1);
  assert.deepEqual(await outcome, {
    responseStatus: null,
    error: 'no complete response within 15 seconds',
  });
});
