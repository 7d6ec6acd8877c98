import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { reservePort } from '../reserved-port.ts';
import { createDeployment } from './deployment.ts';
import {
  answer,
  createLinkedBot,
  question,
  signIn,
  waitUntilConnected,
  waitUntilReceived,
  write,
} from './linked-bot.ts';

const deployment = await createDeployment();
// The second program must be able to reuse the network's port, so no other test may take it.
const { port, release } = await reservePort();
after(release);

test('a second program joins the DATA_DIR, survives the first, and stops PostgreSQL', async () => {
  const first = await deployment.start({ SIMULATOR_PORT: String(port) });
  const second = await deployment.start();
  assert.match(second.log(), /another program runs the simulated network; using it/);
  assert.equal(second.simulator, first.simulator);
  assert.equal(new URL(second.simulator).port, String(port));
  const partner = await signIn(second);
  const { deviceId } = await createLinkedBot(await signIn(first));
  await waitUntilConnected(partner, deviceId);
  await write(partner, question);
  await waitUntilReceived(partner, answer);

  const postgres = await deployment.postgresPid();
  await first.stop();
  assert.equal(await deployment.postgresPid(), postgres);
  await second.hasLogged('the simulated messaging network is up');
  await waitUntilConnected(partner, deviceId);
  await write(partner, question);
  await waitUntilReceived(partner, answer, answer);

  // The second program runs the network at the same address.
  const third = await deployment.start();
  assert.equal(third.simulator, first.simulator);
  await second.stop();
  await third.stop();
  assert.equal(await deployment.postgresPid(), undefined);
});
