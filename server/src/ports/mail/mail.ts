export interface Mail {
  /** Becomes part of the Message-ID, so that receivers notice a repeated mail. */
  id: string;
  to: { name: string; address: string };
  /** The name beside the address of the sender. */
  senderName: string;
  subject: string;
  text: string;
  html: string;
}

/** Sends mails, each to one address. Text cannot add headers or recipients. */
export interface Mailer {
  readonly name: string;
  /** Resolves when the server has accepted the mail. Rejects with `MailError`. */
  send(mail: Mail, signal: AbortSignal): Promise<void>;
  /** Connects and signs in without sending. Rejects with `MailError`. */
  check(signal: AbortSignal): Promise<void>;
}

/** `refused`: the server would refuse the same mail again. `auth`: it refuses the account. */
export class MailError extends Error {
  override readonly name = 'MailError';
  readonly kind: 'transient' | 'refused' | 'auth';
  constructor(kind: MailError['kind'], message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.kind = kind;
  }
}
