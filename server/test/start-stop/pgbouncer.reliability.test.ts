import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { runParley } from '../cli/run-parley.ts';
import { pgbouncerMissing, startPgbouncer } from '../pgbouncer.ts';
import { startScratchServer } from '../scratch-server.ts';
import { createDeployment } from './deployment.ts';
import { answer, createLinkedBot, question, signIn, waitUntilReceived, write } from './linked-bot.ts';

const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');

test('works through PgBouncer in session mode', { skip: pgbouncerMissing }, async () => {
  const server = await startScratchServer();
  after(() => server.remove());
  const pooler = await startPgbouncer(server.url, 'session');
  after(() => pooler.stop());
  const deployment = await createDeployment();
  const environment = { DATABASE_URL: pooler.url, ENCRYPTION_KEY };
  const program = await deployment.start(environment);
  const partner = await signIn(program);
  await createLinkedBot(partner);
  await write(partner, question);
  await waitUntilReceived(partner, answer);
  const doctor = await runParley(['doctor'], { DATA_DIR: deployment.dataDir, ...environment });
  assert.equal(doctor.code, 0, doctor.stdout + doctor.stderr);
  await program.stop();
});

test('refuses PgBouncer in transaction mode', { skip: pgbouncerMissing }, async () => {
  const server = await startScratchServer();
  after(() => server.remove());
  const pooler = await startPgbouncer(server.url, 'transaction');
  after(() => pooler.stop());
  const deployment = await createDeployment();
  const environment = { DATABASE_URL: pooler.url, ENCRYPTION_KEY };
  await assert.rejects(deployment.start(environment), /connection pooler in transaction mode/);
  const doctor = await runParley(['doctor'], { DATA_DIR: deployment.dataDir, ...environment });
  assert.equal(doctor.code, 1);
  assert.match(doctor.stdout, /FAILED .*database: .*transaction mode/);
});
