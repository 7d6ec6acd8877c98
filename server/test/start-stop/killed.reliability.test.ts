import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../eventually.ts';
import { createDeployment } from './deployment.ts';
import {
  answer,
  createLinkedBot,
  createTeam,
  question,
  received,
  signIn,
  timeoutMs,
  waitUntilConnected,
  waitUntilReceived,
  write,
} from './linked-bot.ts';
import type { Partner } from './partner.ts';

const deployment = await createDeployment();

/** Creates teams until the service stops. Returns the acknowledged ids. */
async function createTeams(partner: Partner, acknowledged: (id: string) => void): Promise<void> {
  for (;;) {
    try {
      acknowledged(await createTeam(partner, 'Written'));
    } catch {
      return;
    }
  }
}

async function listTeams(partner: Partner): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; ; page += 1) {
    const teams = await partner.call<{ id: string }[]>('GET', `/teams?limit=100&page=${page}`);
    if (teams.length === 0) return ids;
    ids.push(...teams.map(({ id }) => id));
  }
}

test('keeps acknowledged writes after a kill; its devices reconnect and answer once', async () => {
  const killed = await deployment.start();
  const before = await signIn(killed);
  const { deviceId } = await createLinkedBot(before);
  const postgres = await deployment.postgresPid();
  const acknowledged: string[] = [];
  const writers = Array.from({ length: 4 }, () => createTeams(before, (id) => acknowledged.push(id)));
  await eventually(async () => assert.ok(acknowledged.length > 40), timeoutMs);
  await killed.kill();
  await Promise.all(writers);

  const next = await deployment.start();
  const partner = await signIn(next);
  // The device returns after the lease of the killed process expires.
  await write(partner, question);
  assert.equal(await deployment.postgresPid(), postgres);
  const existing = new Set(await listTeams(partner));
  assert.deepEqual(
    acknowledged.filter((id) => !existing.has(id)),
    [],
  );
  await waitUntilConnected(partner, deviceId);
  await waitUntilReceived(partner, answer);
  // A second answer to the first question would arrive before this answer.
  await write(partner, 'What is the weather?');
  await eventually(async () => assert.equal((await received(partner)).length, 2), timeoutMs);
  assert.equal((await received(partner)).filter((text) => text === answer).length, 1);
  await next.stop();
});
