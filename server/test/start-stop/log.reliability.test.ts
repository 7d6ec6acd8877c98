import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../eventually.ts';
import { createDeployment, key } from './deployment.ts';
import {
  answer,
  contact,
  createLinkedBot,
  question,
  signIn,
  waitUntilReceived,
  write,
} from './linked-bot.ts';

interface Line {
  level: string;
  msg: string;
  route?: string;
  reqId?: string;
  messageId?: string;
  messageIds?: string[];
}

test('logs no warnings, routine requests, secrets or message texts in normal operation', async () => {
  const deployment = await createDeployment();
  const program = await deployment.start({ LEASE_SECONDS: '15' });
  const partner = await signIn(program);
  const token = await partner.call<{ access_token: string }>('POST', '/api/openapi/auth/token', key);
  const action = {
    name: 'Opening hours',
    description: 'Looks up the opening hours',
    endpoint: 'https://fixture.example/hours',
    headers: { key: 'X-Shop', value: 'secret-header-value' },
    body: [],
  };
  const { teamId, botId, deviceId } = await createLinkedBot(partner, { actions: [action] });
  const device = await partner.call<{ token: string }>('POST', '/devices', {
    team_id: teamId,
    bot_id: botId,
    name: 'Back office',
  });
  await write(partner, question);
  await waitUntilReceived(partner, answer);
  const message = 'Your bike is ready at Quay Street.';
  await partner.call('POST', '/send', { device_id: deviceId, destination_number: contact, message });
  const issued = await partner.call<{ key_secret: string }>('POST', '/api-keys', {
    name: 'Console',
    scope: 'global',
  });
  for (const path of ['/healthz', '/readyz', '/metrics'])
    await eventually(async () => assert.equal((await fetch(`${program.url}${path}`)).status, 200));
  await program.stop();

  const postgresLog = await readFile(join(deployment.dataDir, 'postgres.log'), 'utf8');
  const secrets = {
    'the secret of the first key': key.key_secret,
    'the secret of an issued key': issued.key_secret,
    'an access token': token.access_token,
    'the token of a device': device.token,
    'the header of an action': action.headers.value,
    'the message of a contact': question,
    'the answer of a bot': answer,
    'an active message': message,
    'the phone number of a contact': contact,
    'an e-mail address': 'office@lumen-bikes.example',
  };
  for (const [title, text] of Object.entries<string>(secrets)) {
    assert.ok(text.length > 8, title);
    for (const log of [program.log(), postgresLog])
      assert.ok(!log.includes(text), `the log contains ${title}`);
  }
  const lines: Line[] = program
    .log()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  // Right if other accounts cannot enter the folder of this checkout.
  const closedFolder = 'document readers share the account of the server';
  assert.deepEqual(
    lines.filter(({ level, msg }) => (level !== 'info' && !msg.startsWith(closedFolder)) || msg === ''),
    [],
  );
  const fieldsOf = (msg: string): string[] => Object.keys(lines.find((line) => line.msg === msg) ?? {});
  const assertFields = (fields: string[], ...ids: string[]) =>
    assert.deepEqual(
      ids.filter((id) => !fields.includes(id)),
      [],
    );
  assertFields(fieldsOf('a device is up'), 'deviceId', 'teamId', 'poolId', 'epoch');
  assertFields(fieldsOf('a delivery attempt ended'), 'messageId', 'deviceId', 'teamId', 'outcome');
  assertFields(fieldsOf('answered a conversation'), 'conversationId', 'messageIds', 'deviceId', 'teamId');
  const sent = lines.find(({ route }) => route === '/api/openapi/v1/send');
  assertFields(Object.keys(sent ?? {}), 'reqId', 'messageId', 'deviceId');
  const answered = lines.find(({ msg }) => msg === 'answered a conversation');
  assert.deepEqual(answered?.messageIds, [answered?.reqId]);
  const handedOff = lines.filter(({ msg }) => msg === 'a delivery attempt ended');
  assert.deepEqual(
    handedOff.map(({ reqId }) => reqId),
    [answered?.reqId, sent?.reqId],
  );
  assert.equal(handedOff[1]?.messageId, sent?.messageId);
  const routes = lines.flatMap(({ route }) => route ?? []);
  assert.ok(routes.includes('/api/openapi/v1/send'));
  assert.ok(!routes.some((route) => /healthz|readyz|metrics|simulator/.test(route)));
});
