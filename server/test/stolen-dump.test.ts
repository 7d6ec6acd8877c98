import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { addTeamWithBot, linkDevice, startDevicesApp } from './devices.ts';
import { testEncryptionKey } from './harness.ts';

const app = await startDevicesApp();
await app.startPool();
const { api, context, key } = app;
const { db } = context;

const signingSecret = `whsec_${'Canary99'.repeat(5)}`;
const headerOf = (team: string) => `canary-of-${team}`;

/** Creates a published bot in a new team, with a secret header in its action. */
async function addBotWithSecret(name: string): Promise<{ teamId: string; botId: string }> {
  const { teamId } = await addTeamWithBot(db);
  const action = {
    name: 'Opening hours',
    description: 'Looks up the opening hours',
    endpoint: 'https://fixture.example/hours',
    headers: { key: 'X-Shop', value: headerOf(name) },
    body: [],
    signing_secret: signingSecret,
  };
  const created = await api('POST', '/bots', {
    body: { team_id: teamId, name: 'Desk', actions: [action] },
    headers: { 'idempotency-key': `bot of ${name}` },
  });
  assert.equal(created.status, 200);
  const botId: string = created.body.data.id;
  assert.equal((await api('POST', `/bots/${botId}/publish`)).status, 200);
  return { teamId, botId };
}

const [mine, other] = [await addBotWithSecret('mine'), await addBotWithSecret('other')];

/** Returns all rows of all tables as text, with hexadecimal bytes. */
async function dump(): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`.execute(db);
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`
      select to_jsonb(t)::text as row from ${sql.raw(name)} t`.execute(db);
    texts.push(...rows.map(({ row }) => row));
  }
  return texts.join('\n');
}

test('a dump of the database contains no secret in plain text', async () => {
  const device = await api('POST', '/devices', {
    body: { team_id: mine.teamId, bot_id: mine.botId, name: 'Desk' },
    headers: { 'idempotency-key': 'desk' },
  });
  const deviceId: string = device.body.data.id;
  await linkDevice(app, deviceId, '+15550100');
  const issued = await api('POST', '/api-keys', {
    body: { name: 'Console', scope: 'global' },
    headers: { 'idempotency-key': 'console' },
  });
  const secrets = {
    'the secret of a key': key.secret,
    'the secret of a key created under an Idempotency-Key': issued.body.data.key_secret,
    'an access token': key.token,
    'the signature of an access token': key.token.split('.')[2],
    'the token of a device': device.body.data.token,
    'the header of an action': headerOf('mine'),
    'the signing secret of an action': signingSecret,
    'the encryption key': testEncryptionKey.toString('base64'),
    'the encryption key in hexadecimal': testEncryptionKey.toString('hex'),
  };
  const stolen = await dump();
  assert.ok(stolen.includes(deviceId) && stolen.includes(key.keyId), 'the dump is complete');
  for (const [what, secret] of Object.entries<string | undefined>(secrets)) {
    assert.ok(secret !== undefined && secret.length > 8, what);
    assert.ok(!stolen.includes(secret), `${what} is in the dump`);
    assert.ok(!stolen.includes(Buffer.from(secret).toString('hex')), `${what} is in the dump as bytes`);
  }
});

test("does not open an action's sealed headers in another team's row", async () => {
  await sql`
    update bot_actions set headers_sealed = (select headers_sealed from bot_actions where bot_id = ${other.botId})
    where bot_id = ${mine.botId}`.execute(db);
  const { status, body } = await api('GET', `/bots/${mine.botId}`);
  assert.equal(status, 500);
  assert.ok(!JSON.stringify(body).includes(headerOf('other')));
  assert.equal(
    (await api('GET', `/bots/${other.botId}`)).body.data.actions[0].headers.value,
    headerOf('other'),
  );
});

test("does not open a version's sealed actions in another team's row", async () => {
  const ask = async (botId: string): Promise<number> => {
    const body = { question: 'What are the opening hours?', version: 'published' };
    return (await api('POST', `/bots/${botId}/ask`, { body })).status;
  };
  await sql`
    update bot_versions set actions_sealed = (select actions_sealed from bot_versions where bot_id = ${other.botId})
    where bot_id = ${mine.botId}`.execute(db);
  assert.deepEqual([await ask(mine.botId), await ask(other.botId)], [500, 200]);
});
