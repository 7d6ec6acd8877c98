import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../test/eventually.ts';
import { startTestApp } from '../../../test/harness.ts';
import { startMailServer } from '../../../test/mail-server.ts';
import { newId } from '../../platform/shared/ids.ts';
import { composeWorker } from '../../process/compose/worker.ts';
import { deleteExpiredMails } from './mails.queries.ts';

const server = await startMailServer();
const baseUrl = 'https://parley.example.com';
const app = await startTestApp({
  environment: { MAIL_URL: server.url, MAIL_FROM: 'noreply@parley.example', BASE_URL: baseUrl },
});
const { api, context } = app;
const { db } = context;

let people = 0;
const newEmail = () => `person-${++people}@example.com`;
const tokenOf = (url: string): string => url.split('#')[1] ?? '';

async function newTeam(settings: object = {}, name = 'Quay') {
  const user = { name: 'Ana', email: newEmail() };
  const { id } = (await api('POST', '/teams', { body: { user, team: { name } } })).body.data.team;
  await api('PATCH', `/teams/${id}`, { body: { settings, quotas: { members: 100 } } });
  return { id, members: `/teams/${id}/members` };
}

const invite = (path: string, email = newEmail(), name = 'Noor') =>
  api('POST', path, { body: { name, email, role: 'viewer' } });

const waiting = async (): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from mails`.execute(db);
  return rows[0]?.count ?? 0;
};

/** Runs a worker until no mail waits. */
async function deliver() {
  const worker = await composeWorker(context, context);
  try {
    await eventually(async () => assert.equal(await waiting(), 0), 60_000);
  } finally {
    await worker.close();
  }
  return server.received.splice(0);
}

test('mails an invitation with the link of the response, in the language of the team', async () => {
  const team = await newTeam({ locale: 'de-AT' }, 'Bäckerei <b>&"Süß"');
  const { body } = await invite(team.members);
  assert.equal(body.data.mailed, true);
  const [mail, ...more] = await deliver();
  assert.equal(more.length, 0);
  assert.deepEqual(mail?.recipients, [body.data.email]);
  assert.equal(mail?.subject, 'Einladung zu Bäckerei <b>&"Süß"');
  assert.deepEqual(mail?.from, { name: 'Parley', address: 'noreply@parley.example' });
  assert.ok(mail.text.includes(body.data.invitation_url), mail.text);
  assert.ok(mail.html.includes(`href="${body.data.invitation_url}"`), mail.html);
  assert.ok(mail.html.includes('Bäckerei &lt;b&gt;&amp;&quot;Süß&quot;'), mail.html);
  assert.equal(await waiting(), 0);
});

test('keeps the token of a waiting mail from readers of the database', async () => {
  const team = await newTeam();
  const { body } = await invite(team.members);
  const token = tokenOf(body.data.invitation_url);
  const { rows } = await sql<{ row: string }>`
    select m::text || encode(secret_sealed, 'escape') as row from mails m`.execute(db);
  assert.match(rows[0]?.row ?? '', /invitation/);
  assert.ok(!rows[0]?.row.includes(token));
  await deliver();
});

test('a renewed invitation replaces the waiting mail', async () => {
  const team = await newTeam();
  const { body } = await invite(team.members);
  const renewed = await api('POST', `${team.members}/${body.data.id}/invite`);
  assert.equal(renewed.body.data.mailed, true);
  const mails = await deliver();
  assert.equal(mails.length, 1);
  assert.ok(mails[0]?.text.includes(renewed.body.data.invitation_url));
});

test('sends nothing for an invitation that ended before', async () => {
  const team = await newTeam();
  const { body } = await invite(team.members);
  await api('DELETE', `${team.members}/${body.data.id}`);
  const kept = await invite(team.members);
  await sql`delete from sign_in_links where user_id = ${kept.body.data.id}`.execute(db);
  assert.deepEqual(await deliver(), []);
});

test('mails at most 20 an hour for a team and for an address, also under race', async () => {
  const [first, second] = [await newTeam(), await newTeam()];
  const sent = await Promise.all(Array.from({ length: 23 }, () => invite(first.members)));
  assert.equal(sent.filter(({ body }) => body.data.mailed).length, 20);
  const email = newEmail();
  const same = await Promise.all(
    Array.from({ length: 23 }, () =>
      api('POST', '/users', {
        body: { name: 'Noor', email, role: 'support' },
      }),
    ),
  );
  assert.equal(same.filter(({ body }) => body.data.mailed).length, 20);
  const refused = same.find(({ body }) => !body.data.mailed);
  assert.equal(refused?.status, 200);
  assert.match(refused?.body.data.invitation_url, /#[\w-]{43}$/);
  assert.equal((await invite(second.members)).body.data.mailed, true);
  await sql`update mail_rates set sent_at = array(select t - interval '1 hour' from unnest(sent_at) t)`.execute(
    db,
  );
  assert.equal((await invite(first.members)).body.data.mailed, true);
  assert.equal((await deliver()).length, 42);
});

test('tries again after a temporary refusal, and not after a final one', async () => {
  const team = await newTeam();
  server.refuseNext(451);
  await invite(team.members);
  assert.equal((await deliver()).length, 1);
  server.refuseNext(550);
  await invite(team.members);
  assert.deepEqual(await deliver(), []);
});

test('refuses line breaks in names and addresses', async () => {
  const team = await newTeam();
  const hostile = ['Noor\r\nBcc: thief@example.com', 'Noor\nX: y'];
  for (const name of hostile) assert.equal((await invite(team.members, newEmail(), name)).status, 400);
  for (const email of [
    'a@example.com\r\nBcc: thief@example.com',
    'a@example.com,b@example.com',
    'a@example.com\n',
  ])
    assert.equal((await invite(team.members, email)).status, 400);
});

test('forgets mails, proofs and counts that nobody needs any more', async () => {
  await invite((await newTeam()).members);
  const outdated = newId();
  await sql`
    insert into address_proofs (id, email, secret_hash, expires_at)
    values (${outdated}, 'a@example.com', '\\x00', now() - interval '1 s')`.execute(db);
  await deleteExpiredMails(db);
  assert.equal(await waiting(), 1, 'a mail that waits stays');
  await sql`update mails set expires_at = now() - interval '1 second'`.execute(db);
  await sql`update mail_rates set sent_at = array[now() - interval '2 hours']`.execute(db);
  await deleteExpiredMails(db);
  const { rows } = await sql`
    select id::text from mails union all select id::text from address_proofs
    union all select subject from mail_rates`.execute(db);
  assert.deepEqual(rows, []);
});
