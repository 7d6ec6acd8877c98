import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { startMailServer } from '../../../test/mail-server.ts';
import { describeMailer } from './mail.contract.ts';
import { MailError } from './mail.ts';
import { createSmtpMailer } from './smtp.ts';

const from = 'noreply@parley.example';
const { signal } = new AbortController();

describeMailer('smtp', async () => {
  const server = await startMailServer();
  return { server, mailer: createSmtpMailer({ url: server.url, from }) };
});

test('needs no trusted certificate of a server on this machine', async () => {
  const server = await startMailServer({ offersTls: true });
  await createSmtpMailer({ url: server.url, from }).check(signal);
});

test('signs in, and reports a wrong password', async () => {
  const server = await startMailServer({ account: { user: 'post@parley', password: 'p/w:1' } });
  const url = server.url.replace('smtp://', 'smtp://post%40parley:p%2Fw%3A1@');
  await createSmtpMailer({ url, from }).check(signal);
  const wrong = createSmtpMailer({ url: url.replace('p%2Fw', 'x'), from });
  await assert.rejects(wrong.check(signal), (error: unknown) => {
    assert.ok(error instanceof MailError);
    assert.equal(error.kind, 'auth');
    assert.doesNotMatch(error.message, /p\/w|x%3A1/);
    return true;
  });
});

test('gives up on a server that is gone or silent', async () => {
  const sockets = new Set<{ destroy(): void }>();
  const silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  after(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  await once(silent, 'listening');
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const mail = { id: '1', to: { name: 'A', address: 'a@example.com' }, senderName: 'P', subject: 's' };
  const send = (url: string) =>
    createSmtpMailer({ url, from, timeoutMs: 200 }).send({ ...mail, text: 't', html: 'h' }, signal);
  const isTransient = (error: unknown) => error instanceof MailError && error.kind === 'transient';
  await assert.rejects(send(`smtp://127.0.0.1:${port}`), isTransient);
  await assert.rejects(send('smtp://127.0.0.1:1'), isTransient);
});
