import assert from 'node:assert/strict';
import { createECDH, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import ece from 'http_ece';
import { importJWK, jwtVerify } from 'jose';
import { sql } from 'kysely';
import { type ChatDevice, createChats, createTestBots } from '../../../test/chats.ts';
import { eventually } from '../../../test/eventually.ts';
import { startTestApp } from '../../../test/harness.ts';
import { startMailServer } from '../../../test/mail-server.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { composeWorker } from '../../process/compose/worker.ts';
import { createOutbox } from '../../tenancy/people/mails.ts';
import { createActionCaller } from '../answering/call-action.ts';
import { sendPushJob, tellPeople } from './alerts.jobs.ts';
import { addSubscription } from './alerts.ts';
import { openPushKeys } from './push.ts';

const mailServer = await startMailServer();
const base = await startTestApp({
  environment: {
    MAIL_URL: mailServer.url,
    MAIL_FROM: 'noreply@parley.example',
    BASE_URL: 'https://parley.example.com',
  },
});
const { api, context } = base;
const { db, encryption } = context;
const chats = createChats({
  ...base,
  bots: createTestBots(context),
  callAction: createActionCaller({ outbound: createOutbound({ allowedHosts: [] }) }),
});
const outbox = createOutbox(encryption, context.keyedHash);
const contact = '+15550178301';
const path = '/api/openapi/session/alerts';
let created = 0;

async function addConversation(): Promise<ChatDevice & { id: string }> {
  const desk = await chats.addDevice({}, { reply_delay_seconds: 60 });
  await chats.write(desk, contact, 'Hello');
  return { ...desk, id: (await chats.readConversation(desk, contact)).id };
}

/** Lets the contact have asked for a person so many minutes ago. */
const flag = (id: string, minutes: number) =>
  sql`
    update conversations set flag = 'human_requested', flagged_at = now() - make_interval(mins => ${minutes})
    where id = ${id}`.execute(db);

const unflag = (id: string) =>
  sql`update conversations set flag = null, flagged_at = null where id = ${id}`.execute(db);

const sameOrigin = { 'sec-fetch-site': 'same-origin' };

/** Adds somebody who can sign in, and returns the calls of their browser. */
async function addPerson(teamId: string | null, role: string) {
  created += 1;
  const email = `person${created}@example.com`;
  const members = teamId === null ? '/users' : `/teams/${teamId}/members`;
  const invited = await api('POST', members, { body: { name: `Person ${created}`, email, role } });
  assert.equal(invited.status, 200, JSON.stringify(invited.body));
  const token = invited.body.data.invitation_url.split('#')[1];
  const accepted = await api('POST', '/api/openapi/session/invitation/accept', {
    token: null,
    headers: sameOrigin,
    body: { token, password: 'a long enough password' },
  });
  const cookie = /^[^;]+/.exec(accepted.headers.get('set-cookie') ?? '')?.[0] ?? '';
  const call = (method: string, target: string, body?: object) =>
    api(method, target, {
      token: null,
      headers: { ...sameOrigin, cookie },
      ...(body === undefined ? {} : { body }),
    });
  const { rows } = await sql<{ person_id: string }>`
    select person_id from memberships where user_id = ${invited.body.data.id}`.execute(db);
  return { email, call, personId: rows[0]?.person_id ?? '' };
}

const wishes = {
  mail_after_minutes: 5,
  push: true,
  devices: true,
  quiet_hours: null,
  team_ids: null,
  language: 'en',
};

/** Tells people, and returns the mails and messages of this round by person. */
async function tell(): Promise<{ mails: string[]; pushes: string[] }> {
  await sql`delete from mails`.execute(db);
  await sql`select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))`.execute(db);
  await tellPeople({ db, outbox });
  const mails = await sql<{ email: string }>`
    select email from mails where kind = 'alert' order by email`.execute(db);
  const pushes = await sql<{ id: string }>`
    select j.payload->>'id' as id from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'send-push'`.execute(db);
  return { mails: mails.rows.map(({ email }) => email), pushes: pushes.rows.map(({ id }) => id) };
}

test('mails those who may answer, once, when somebody has waited five minutes', async () => {
  const { id, teamId } = await addConversation();
  const agent = await addPerson(teamId, 'agent');
  await addPerson(teamId, 'viewer');
  await addPerson(null, 'support');
  await addPerson((await addConversation()).teamId, 'owner');
  await flag(id, 4);
  assert.deepEqual((await tell()).mails, []);
  await unflag(id);
  await tell();
  await flag(id, 6);
  assert.deepEqual((await tell()).mails, [agent.email]);
  assert.deepEqual((await tell()).mails, []);
  await unflag(id);
  await tell();
});

test('the mail names how many wait, in the language of the team, and leads to the conversation', async () => {
  const { id, teamId } = await addConversation();
  await api('PATCH', `/teams/${teamId}`, { body: { settings: { locale: 'de' } } });
  const agent = await addPerson(teamId, 'agent');
  await flag(id, 6);
  const worker = await composeWorker(context, context);
  try {
    await eventually(async () => {
      const recipients = mailServer.received.flatMap((mail) => mail.recipients);
      assert.ok(recipients.includes(agent.email));
    }, 60_000);
  } finally {
    await worker.close();
  }
  const mail = mailServer.received.filter(({ recipients }) => recipients.includes(agent.email)).at(-1);
  assert.equal(mail?.subject, 'Eine Person wartet auf Antwort');
  assert.ok(mail.text.includes(`https://parley.example.com/console/conversations/${id}`), mail.text);
  assert.ok(!`${mail.text}${mail.html}`.includes('5550178301'), 'the mail names no contact');
  await unflag(id);
});

test('a person chooses the wait, the teams and quiet hours, and hears afterwards of what still waits', async () => {
  const { id, teamId } = await addConversation();
  const support = await addPerson(null, 'support');
  const other = await addConversation();
  const put = (body: object) => support.call('PUT', path, { ...wishes, ...body });
  assert.equal((await put({ team_ids: [teamId], mail_after_minutes: 1 })).status, 200);
  await flag(id, 2);
  await flag(other.id, 2);
  const isTold = async () => (await tell()).mails.includes(support.email);
  const now = new Date().toISOString().slice(11, 16);
  const later = new Date(Date.now() + 3_600_000).toISOString().slice(11, 16);
  const quiet = { from: now, until: later, timezone: 'UTC' };
  const settings = await put({ team_ids: [teamId], mail_after_minutes: 1, quiet_hours: quiet });
  assert.deepEqual(settings.body.data.quiet_hours, quiet);
  assert.equal(await isTold(), false);
  await put({ team_ids: [teamId], mail_after_minutes: null });
  assert.equal(await isTold(), false);
  await put({ team_ids: [teamId], mail_after_minutes: 1 });
  assert.equal(await isTold(), true);
  const { rows } = await sql<{ object_id: string }>`
    select object_id from alerts where person_id = ${support.personId}`.execute(db);
  assert.deepEqual(
    rows.map(({ object_id: object }) => object),
    [id],
  );
  await unflag(id);
  await unflag(other.id);
  await tell();
});

test('refuses teams of others, unknown time zones and more than ten browsers', async () => {
  const { teamId } = await addConversation();
  const agent = await addPerson(teamId, 'agent');
  const stranger = await addConversation();
  const { body } = await agent.call('PUT', path, { ...wishes, team_ids: [stranger.teamId] });
  assert.deepEqual(body.details.issues, [{ path: 'team_ids[0]', message: 'must be a team of yours' }]);
  const nowhere = { from: '22:00', until: '07:00', timezone: 'Nowhere/Land' };
  assert.equal((await agent.call('PUT', path, { ...wishes, quiet_hours: nowhere })).status, 400);
  const keys = { p256dh: 'B'.repeat(87), auth: 'A'.repeat(22) };
  const add = (n: number) =>
    agent.call('POST', `${path}/devices`, { endpoint: `https://push.example.com/${teamId}/${n}`, keys });
  const added = await Promise.all(Array.from({ length: 14 }, (_, n) => add(n)));
  assert.equal(added.filter(({ status }) => status === 200).length, 10);
  assert.equal((await agent.call('GET', path)).body.data.push_devices, 10);
  const first = added.find(({ status }) => status === 200)?.body.data.id;
  const thief = await addPerson(stranger.teamId, 'owner');
  assert.equal((await thief.call('DELETE', `${path}/devices/${first}`)).status, 404);
  assert.equal((await agent.call('DELETE', `${path}/devices/${first}`)).status, 200);
  assert.equal((await agent.call('DELETE', `${path}/devices/${first}`)).status, 404);
  assert.equal((await api('GET', path)).status, 403, 'a key has no person');
});

test('tells each browser once, in one round of two workers', async () => {
  const { id, teamId } = await addConversation();
  const agent = await addPerson(teamId, 'agent');
  const keys = { p256dh: 'B'.repeat(87), auth: 'A'.repeat(22) };
  const endpoint = `https://push.example.com/${teamId}`;
  const device = (await agent.call('POST', `${path}/devices`, { endpoint, keys })).body.data.id;
  await flag(id, 0);
  await Promise.all([tellPeople({ db, outbox }), tellPeople({ db, outbox })]);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from graphile_worker._private_jobs where payload->>'id' = ${device}`.execute(
    db,
  );
  assert.equal(rows[0]?.count, 1);
  assert.deepEqual((await tell()).pushes, []);
  await unflag(id);
  await tell();
  await flag(id, 0);
  assert.deepEqual((await tell()).pushes, [device], 'who asks again hears again');
  await unflag(id);
  await tell();
});

/** A push service that decrypts what it gets as the browser would. */
async function startPushService() {
  const browser = createECDH('prime256v1');
  browser.generateKeys();
  const auth = randomBytes(16);
  const received: { content: object; authorization: string }[] = [];
  let status = 201;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const options = {
      version: 'aes128gcm' as const,
      privateKey: browser,
      authSecret: auth.toString('base64url'),
    };
    const content = JSON.parse(ece.decrypt(Buffer.concat(chunks), options).toString());
    received.push({ content, authorization: request.headers.authorization ?? '' });
    response.writeHead(status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return {
    received,
    host: `127.0.0.1:${port}`,
    subscription: {
      endpoint: `http://127.0.0.1:${port}/send`,
      keys: { p256dh: browser.getPublicKey('base64url'), auth: auth.toString('base64url') },
    },
    respond: (next: number) => {
      status = next;
    },
  };
}

test('a browser decrypts the message, the push service verifies the sender, and a browser that left is forgotten', async () => {
  const service = await startPushService();
  const { teamId } = await addConversation();
  const agent = await addPerson(teamId, 'agent');
  const device = await addSubscription(
    { db, encryption, mailPossible: true },
    agent.personId,
    service.subscription,
  );
  const job = sendPushJob({
    db,
    encryption,
    outbound: createOutbound({ allowedHosts: [service.host] }),
    subject: 'mailto:noreply@parley.example',
    brandName: 'Parley',
  });
  const content = { title: '', body: 'One person waits for an answer', path: '/conversations/1' };
  const run = () => job.run({ ...device, content }, AbortSignal.timeout(10_000));
  await run();
  assert.deepEqual(service.received[0]?.content, { ...content, title: 'Parley' });
  const [, token = '', key = ''] =
    /^vapid t=([^,]+), ?k=(.+)$/.exec(service.received[0]?.authorization ?? '') ?? [];
  const { publicKey } = await openPushKeys(db, encryption);
  assert.equal(key, publicKey);
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  const { payload } = await jwtVerify(token, await importJWK({ kty: 'EC', crv: 'P-256', x, y }, 'ES256'));
  assert.deepEqual([payload.aud, payload.sub], [`http://${service.host}`, 'mailto:noreply@parley.example']);
  service.respond(503);
  await assert.rejects(run(), /returned 503/);
  service.respond(410);
  await run();
  assert.equal((await agent.call('GET', path)).body.data.push_devices, 0);
  await run();
  assert.equal(service.received.length, 3, 'nothing is sent to a browser that left');
});

test('calls no push service in the own network', async () => {
  const service = await startPushService();
  const agent = await addPerson((await addConversation()).teamId, 'agent');
  const device = await addSubscription(
    { db, encryption, mailPossible: true },
    agent.personId,
    service.subscription,
  );
  const outbound = createOutbound({ allowedHosts: [] });
  const job = sendPushJob({ db, encryption, outbound, subject: 'mailto:a@b.example', brandName: 'Parley' });
  const content = { title: '', body: 'x', path: '/' };
  await assert.rejects(job.run({ ...device, content }, AbortSignal.timeout(10_000)), /not allowed/);
  assert.deepEqual(service.received, []);
});
