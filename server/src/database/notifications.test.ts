import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../../test/eventually.ts';
import { createTestDatabase } from '../../test/test-database.ts';
import { dealtWith, startNotifications, type Topic } from './notifications.ts';

const database = await createTestDatabase();
const start = () =>
  startNotifications({ url: database.url, logger: { warn: () => undefined }, fault: () => undefined });
const [here, elsewhere] = [start(), start()];
after(async () => {
  await Promise.all([here.close(), elsewhere.close()]);
  await database.drop();
});

const heard: string[] = [];
for (const topic of ['message-due', 'team-changed'] as const) {
  elsewhere.subscribe(topic, (id) => heard.push(`${topic} ${id}`));
}

/** Publishes until it is heard elsewhere, which listens some time after its start; then everything before was, too. */
const publishAndWait = (topic: Topic, id: string) =>
  eventually(async () => {
    here.publish(topic, id);
    assert.ok(heard.includes(`${topic} ${id}`));
  });

test('what is published is told to the other processes, unless a listener here has dealt with it', async () => {
  await publishAndWait('team-changed', 'first');
  const own: string[] = [];
  here.subscribe('message-due', (id) => {
    own.push(id);
    return id === 'mine' ? dealtWith : undefined;
  });
  here.publish('message-due', 'mine');
  await publishAndWait('message-due', 'another');
  assert.ok(own.includes('mine'));
  assert.ok(!heard.includes('message-due mine'));
});
