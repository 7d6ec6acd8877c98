import { createTransport } from 'nodemailer';
import { takeStart } from '../../platform/shared/cut-text.ts';
import { withDeadline } from '../../platform/shared/deadline.ts';
import { isLoopback } from '../../platform/shared/hosts.ts';
import { type Mail, MailError, type Mailer } from './mail.ts';

export interface SmtpSettings {
  /** `smtp://` begins TLS if a server elsewhere offers it; `smtps://` connects with TLS. */
  url: string;
  from: string;
  timeoutMs?: number;
}

const defaultTimeoutMs = 20_000;
/** An address without blanks, quotes, brackets and control characters, as the API accepts them. */
const plainAddress = /^[^\s"(),:;<>@[\\\]\p{Cc}]+@[^\s"(),:;<>@[\\\]\p{Cc}]+$/u;

/** Opens a connection for each mail. A password is sent over TLS only, unless the server is on this machine. */
export function createSmtpMailer({ url, from, timeoutMs = defaultTimeoutMs }: SmtpSettings): Mailer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isSecure = protocol === 'smtps:';
  const hasAccount = username !== '';
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isLocal = isLoopback(host);
  const transport = createTransport({
    host,
    port: port === '' ? (isSecure ? 465 : 587) : Number(port),
    secure: isSecure,
    requireTLS: hasAccount && !isLocal,
    // The certificate of a server on this machine is rarely one that others would trust.
    ignoreTLS: isLocal,
    ...(hasAccount
      ? { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }
      : {}),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const call = async (work: (limited: AbortSignal) => Promise<unknown>, signal: AbortSignal) => {
    signal.throwIfAborted();
    try {
      await withDeadline(timeoutMs, work, signal);
    } catch (cause) {
      signal.throwIfAborted();
      throw cause instanceof MailError ? cause : toMailError(cause);
    }
  };
  return {
    name: 'smtp',
    send: (mail, signal) =>
      call((limited) => transport.sendMail({ ...toMessage(mail, from), signal: limited }), signal),
    check: (signal) => call(() => transport.verify(), signal),
  };
}

function toMessage({ id, to, senderName, subject, text, html }: Mail, from: string) {
  if (!plainAddress.test(to.address)) throw new MailError('refused', 'the address cannot receive mail');
  return {
    from: { name: toLine(senderName), address: from },
    to: { name: toLine(to.name), address: to.address },
    subject: toLine(subject),
    text,
    html,
    messageId: `<${id}@${from.split('@')[1]}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

const toLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

function toMailError(cause: unknown): MailError {
  const error = cause as Error & { code?: string; permanent?: boolean };
  const message = `The mail server: ${toLine(takeStart(error.message, 300))}`;
  const isRefused = error.permanent === true || error.code === 'EENVELOPE';
  const kind =
    error.code === 'EAUTH' ? 'auth' : isRefused && error.permanent !== false ? 'refused' : 'transient';
  return new MailError(kind, message, { cause });
}
