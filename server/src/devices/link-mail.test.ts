import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { addTeamWithBot } from '../../test/devices.ts';
import { eventually } from '../../test/eventually.ts';
import { startTestApp } from '../../test/harness.ts';
import { startMailServer } from '../../test/mail-server.ts';
import { newId } from '../platform/shared/ids.ts';
import { composeWorker } from '../process/compose/worker.ts';

const server = await startMailServer();
const baseUrl = 'https://parley.example';
const app = await startTestApp({
  environment: { MAIL_URL: server.url, MAIL_FROM: 'noreply@parley.example', BASE_URL: baseUrl },
});
const { api, context } = app;
const { db } = context;

await sql`
  insert into pools (id, url, capacity, lease_until)
  values (${newId()}, 'http://127.0.0.1:4000', 100, now() + interval '1 hour')`.execute(db);

let people = 0;
const newEmail = () => `phone-${++people}@example.com`;

async function addLinkableDevice(settings: object = {}): Promise<{ id: string; teamId: string }> {
  const ids = await addTeamWithBot(db);
  await api('PATCH', `/teams/${ids.teamId}`, { body: { settings } });
  const body = { team_id: ids.teamId, bot_id: ids.botId, name: 'Desk' };
  const { id } = (await api('POST', '/devices', { body })).body.data;
  return { id, teamId: ids.teamId };
}

const mailLink = (id: string, email: string, options: { token?: string } = {}) =>
  api('POST', `/devices/${id}/link`, { body: { expires_in: 86_400, email }, ...options });

const statusOf = (url: string) =>
  api('POST', '/api/openapi/link/status', { token: null, body: { token: url.split('#')[1] } });

/** Runs a worker until no mail waits. */
async function deliver() {
  const worker = await composeWorker(context, context);
  try {
    await eventually(async () => {
      const { rows } = await sql`select from mails`.execute(db);
      assert.equal(rows.length, 0);
    }, 60_000);
  } finally {
    await worker.close();
  }
  return server.received.splice(0);
}

test('mails the link of the response in the name and the language of the team', async () => {
  const { id, teamId } = await addLinkableDevice({ locale: 'pt-BR' });
  await sql`update teams set name = 'Padaria <b>' where id = ${teamId}`.execute(db);
  const email = newEmail();
  const { status, body } = await mailLink(id, email);
  assert.equal(status, 200, JSON.stringify(body));
  const [mail, ...more] = await deliver();
  assert.equal(more.length, 0);
  assert.deepEqual(mail?.recipients, [email]);
  assert.equal(mail?.subject, 'Conecte um telefone ou uma conta com Padaria <b>');
  assert.ok(mail.text.includes(body.data.url), mail.text);
  assert.ok(mail.html.includes('Padaria &lt;b&gt;'), mail.html);
  assert.equal((await statusOf(body.data.url)).body.data.state, 'stopped');

  const audited = await api('GET', `/audit-log?object_id=${id}`);
  assert.ok(
    audited.body.data.some(
      ({ after }: { after: { mailed_to?: string } | null }) => after?.mailed_to === email,
    ),
    JSON.stringify(audited.body.data),
  );
});

test('keeps the token of a waiting mail from readers of the database', async () => {
  const { id } = await addLinkableDevice();
  const { body } = await mailLink(id, newEmail());
  const { rows } = await sql<{ row: string }>`
    select m::text || encode(secret_sealed, 'escape') as row from mails m`.execute(db);
  assert.match(rows[0]?.row ?? '', /device_link/);
  assert.ok(!rows[0]?.row.includes(body.data.url.split('#')[1]));
  await deliver();
});

test('does not mail a link that was replaced or ended, nor one of a deleted device', async () => {
  const [replaced, ended, deleted] = [
    await addLinkableDevice(),
    await addLinkableDevice(),
    await addLinkableDevice(),
  ];
  for (const { id } of [replaced, ended, deleted]) await mailLink(id, newEmail());
  await api('POST', `/devices/${replaced.id}/link`);
  await api('DELETE', `/devices/${ended.id}/link`);
  await api('DELETE', `/devices/${deleted.id}`);
  assert.deepEqual(await deliver(), []);
});

test('mails at most 5 links of a device an hour, also under race, and keeps the last one valid', async () => {
  const [device, other] = [await addLinkableDevice(), await addLinkableDevice()];
  const results = await Promise.all(Array.from({ length: 8 }, () => mailLink(device.id, newEmail())));
  assert.equal(results.filter(({ status }) => status === 200).length, 5);
  const refused = results.find(({ status }) => status !== 200);
  assert.deepEqual([refused?.status, refused?.body.details.reason], [400, 'too_many_mails']);
  const created = await api('POST', `/devices/${device.id}/link`);
  assert.equal(created.status, 200);
  assert.equal((await mailLink(device.id, newEmail())).status, 400);
  assert.equal((await statusOf(created.body.data.url)).status, 200, 'a refused mail ends no link');
  assert.equal((await mailLink(other.id, newEmail())).status, 200);
  await deliver();
});

test('refuses invalid addresses, and devices of other teams', async () => {
  const { id } = await addLinkableDevice();
  for (const email of ['', 'nobody', 'a@b\r\nBcc: c@d.example', `${'x'.repeat(250)}@example.com`, null])
    assert.equal((await api('POST', `/devices/${id}/link`, { body: { email } })).status, 400, String(email));
  const { token } = await app.issueKey({ teamId: (await addLinkableDevice()).teamId });
  assert.equal((await mailLink(id, newEmail(), { token })).status, 404);
  assert.deepEqual(await deliver(), []);
});
