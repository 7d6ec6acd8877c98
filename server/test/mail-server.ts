import { once } from 'node:events';
import { after } from 'node:test';
import { type AddressObject, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import type { MailServer, ReceivedMail } from '../src/ports/mail/mail.contract.ts';

/** A real SMTP server that keeps what it receives. It stops after the file's tests. */
export async function startMailServer({
  account,
  offersTls = false,
}: {
  account?: { user: string; password: string };
  /** With a certificate that it signed itself. */
  offersTls?: boolean;
} = {}): Promise<MailServer & { url: string; holdNext(): { reached: Promise<void>; release(): void } }> {
  const received: ReceivedMail[] = [];
  let nextStatus: number | null = null;
  let hold: (() => Promise<void>) | null = null;
  const server = new SMTPServer({
    disabledCommands: [...(account === undefined ? ['AUTH'] : []), ...(offersTls ? [] : ['STARTTLS'])],
    allowInsecureAuth: true,
    authOptional: account === undefined,
    onAuth: ({ username, password }, _session, done) => {
      const isRight = username === account?.user && password === account?.password;
      done(isRight ? null : new Error('wrong'), isRight ? { user: username } : undefined);
    },
    onData: (stream, session, done) => {
      const status = nextStatus;
      nextStatus = null;
      const held = hold?.();
      hold = null;
      simpleParser(stream).then(async (parsed) => {
        await held;
        if (status !== null) return done(Object.assign(new Error('refused'), { responseCode: status }));
        received.push({
          recipients: session.envelope.rcptTo.map(({ address }) => address),
          headers: parsed.headerLines.map(({ key }) => key),
          from: addressesOf(parsed.from)[0] ?? { name: '', address: '' },
          to: addressesOf(parsed.to),
          subject: parsed.subject ?? '',
          text: parsed.text ?? '',
          html: parsed.html === false || parsed.html === undefined ? '' : parsed.html,
          messageId: parsed.messageId ?? '',
        });
        done();
      }, done);
    },
  });
  // Tests kill clients.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('the mail server has no port');
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    received,
    /** Receives the next mail, and accepts it only after `release`. */
    holdNext() {
      const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      hold = () => {
        reach();
        return released;
      };
      return { reached, release };
    },
    refuseNext(status) {
      nextStatus = status;
    },
  };
}

const addressesOf = (given: AddressObject | AddressObject[] | undefined) =>
  [given ?? []]
    .flat()
    .flatMap(({ value }) => value.map(({ name, address }) => ({ name, address: address ?? '' })));
