import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Mail, MailError, type Mailer } from './mail.ts';

/** A mail as the other side received it. */
export interface ReceivedMail {
  /** The recipients of the envelope. */
  recipients: string[];
  /** The names of the headers, in lower case. */
  headers: string[];
  from: { name: string; address: string };
  to: { name: string; address: string }[];
  subject: string;
  text: string;
  html: string;
  messageId: string;
}

export interface MailServer {
  received: ReceivedMail[];
  /** Refuses the next mail with this SMTP status. */
  refuseNext(status: number): void;
}

const mail: Mail = {
  id: '0197b0c4-0000-7000-8000-000000000001',
  to: { name: 'Zoë Müller', address: 'zoe@example.com' },
  senderName: 'Parley',
  subject: 'Olá, 你好',
  text: 'Guten Tag\nGrüße',
  html: '<p>Guten Tag</p>',
};

/** Tests the guarantees of the port, which every adapter must keep. */
export function describeMailer(name: string, start: () => Promise<{ mailer: Mailer; server: MailServer }>) {
  describe(`mail: ${name}`, () => {
    const { signal } = new AbortController();

    it('delivers text and HTML in any script to one address', async () => {
      const { mailer, server } = await start();
      await mailer.check(signal);
      assert.equal(server.received.length, 0);
      await mailer.send(mail, signal);
      const [got] = server.received;
      assert.deepEqual(got?.recipients, ['zoe@example.com']);
      assert.deepEqual(got?.to, [mail.to]);
      assert.equal(got?.from.name, 'Parley');
      assert.equal(got?.subject, mail.subject);
      assert.equal(got?.text.trim(), mail.text);
      assert.match(got?.html ?? '', /<p>Guten Tag<\/p>/);
      assert.match(got?.messageId ?? '', /^<0197b0c4-0000-7000-8000-000000000001@/);
    });

    it('adds no header and no recipient for text with line breaks', async () => {
      const { mailer, server } = await start();
      const breaks = ['\r\n', '\n', '\r', '\u2028', '\0', '\r\n\r\n'];
      await mailer.send(mail, signal);
      const plain = server.received.pop();
      for (const text of breaks.map((line) => `Ana${line}Bcc: thief@example.com`)) {
        const hostile = { ...mail, to: { ...mail.to, name: text }, senderName: text, subject: text };
        await mailer.send(hostile, signal);
        const got = server.received.pop();
        assert.deepEqual(got?.headers.toSorted(), plain?.headers.toSorted(), JSON.stringify(text));
        assert.deepEqual(got?.recipients, ['zoe@example.com']);
        assert.deepEqual(
          got?.to.map(({ address }) => address),
          ['zoe@example.com'],
        );
      }
      for (const line of [...breaks, ', ', '> ', ' ', '","']) {
        const to = { name: 'Ana', address: `zoe@example.com${line}thief@example.com` };
        await assert.rejects(mailer.send({ ...mail, to }, signal), isKind('refused'), JSON.stringify(line));
      }
      assert.equal(server.received.length, 0);
    });

    it('distinguishes mails that the server will never accept', async () => {
      const { mailer, server } = await start();
      server.refuseNext(550);
      await assert.rejects(mailer.send(mail, signal), isKind('refused'));
      server.refuseNext(451);
      await assert.rejects(mailer.send(mail, signal), isKind('transient'));
      await mailer.send(mail, signal);
      assert.equal(server.received.length, 1);
    });

    it('ends with its signal', async () => {
      const { mailer, server } = await start();
      await assert.rejects(mailer.send(mail, AbortSignal.abort()));
      assert.equal(server.received.length, 0);
    });
  });
}

const isKind = (kind: MailError['kind']) => (error: unknown) => {
  assert.ok(error instanceof MailError);
  assert.equal(error.kind, kind, error.message);
  return true;
};
