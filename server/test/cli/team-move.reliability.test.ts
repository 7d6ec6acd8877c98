import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { startTestNetwork } from '../simulated-network.ts';
import { createDeployment } from '../start-stop/deployment.ts';
import {
  answer,
  contact,
  createLinkedBot,
  createTeam,
  devicePhone,
  question,
  signIn,
  waitUntilConnected,
} from '../start-stop/linked-bot.ts';
import type { Created, Partner } from '../start-stop/partner.ts';
import { runParley } from './run-parley.ts';

const network = await startTestNetwork();
after(() => network.close());

async function startCell() {
  const deployment = await createDeployment();
  const program = await deployment.start({ ROLES: 'api,pool,worker', SIMULATOR_URL: network.url });
  const run = (...args: string[]) => runParley(args, { DATA_DIR: deployment.dataDir });
  return { run, program, partner: await signIn(program), dataDir: deployment.dataDir };
}

async function upload(partner: Partner, team: string): Promise<string> {
  const form = new FormData();
  form.set('team_id', team);
  form.set('file', new File(['Bicycles are returned at Quay Street.\n'.repeat(30)], 'returns.txt'));
  const { id } = await partner.call<Created>('POST', '/documents', form);
  return id;
}

/** Returns what the API shows of a team. */
async function read(partner: Partner, team: string): Promise<Record<string, unknown>> {
  const shown: Record<string, unknown> = {};
  for (const path of ['bots', 'documents', 'messages', 'conversations', 'webhooks'])
    shown[path] = await partner.call('GET', `/${path}?team_id=${team}`);
  return shown;
}

const receivedAnswers = async (): Promise<(string | null)[]> =>
  (await network.received(contact, devicePhone)).map(({ text }) => text);

const ask = () => network.write({ from: contact, to: devicePhone, text: question });

test('moves a team with its documents, chats, secrets and linked phone to another deployment', async () => {
  const [old, next] = await Promise.all([startCell(), startCell()]);
  const action = {
    name: 'Opening hours',
    description: 'Looks up the opening hours',
    endpoint: 'https://fixture.example/hours',
    headers: { key: 'X-Shop', value: 'secret-header-value' },
    body: [],
  };
  const { teamId, botId, deviceId } = await createLinkedBot(old.partner, { actions: [action] });
  await createTeam(old.partner, 'Another team');
  const documentId = await upload(old.partner, teamId);
  await old.partner.call('PATCH', `/bots/${botId}`, { document_ids: [documentId] });
  await old.partner.call('POST', `/bots/${botId}/publish`);
  await old.partner.call('POST', '/webhooks', {
    team_id: teamId,
    url: 'https://fixture.example/events',
    events: ['message.received'],
  });
  await ask();
  await eventually(async () => assert.deepEqual(await receivedAnswers(), [answer]), 30_000);

  const folder = join(old.dataDir, '../team');
  const early = await old.run('team', 'export', teamId, folder);
  assert.match(early.stderr, /The team Lumen Bikes is in use: ban it first/);
  await old.partner.call('PATCH', `/teams/${teamId}`, { banned: true });
  const before = await read(old.partner, teamId);
  const exported = await old.run('team', 'export', teamId, folder);
  assert.match(exported.stdout, /exported Lumen Bikes: \d+ rows, 1 files/, exported.stderr);

  const manifest = await readFile(join(folder, 'team.json'), 'utf8');
  await writeFile(join(folder, 'team.json'), manifest.replace(/"schema": \d+/, '"schema": 1'));
  const otherSchema = await next.run('team', 'import', folder);
  assert.match(otherSchema.stderr, /exported from schema version 1, and this deployment has \d+/);
  await writeFile(join(folder, 'team.json'), manifest);

  const imported = await next.run('team', 'import', folder);
  assert.match(imported.stdout, /imported Lumen Bikes/, imported.stderr);
  assert.match((await next.run('team', 'import', folder)).stderr, /is in this deployment already/);
  assert.deepEqual(await read(next.partner, teamId), before);
  assert.deepEqual(await next.partner.call('GET', '/events'), [], 'the import is no event');
  assert.equal((await next.partner.call<unknown[]>('GET', '/teams')).length, 1);

  assert.match((await old.run('team', 'release', teamId)).stdout, /1 device no longer has a phone here/);
  await old.partner.call('DELETE', `/teams/${teamId}`);
  await next.partner.call('PATCH', `/teams/${teamId}`, { banned: false });
  await next.partner.call('POST', `/devices/${deviceId}/connect`);
  await waitUntilConnected(next.partner, deviceId);
  await ask();
  await eventually(async () => assert.deepEqual(await receivedAnswers(), [answer, answer]), 30_000);
  // Publishing opens the sealed headers and reads the documents.
  await next.partner.call('POST', `/bots/${botId}/publish`);
  const asked = await next.partner.call<{ answer: string }>('POST', `/bots/${botId}/ask`, {
    question: 'Where are bicycles returned?',
  });
  assert.match(asked.answer, /Quay Street/);
  for (const { program } of [old, next]) await program.stop();
});
