import type { Mailer } from './mail.ts';

/** Returns null without a mail server: links are shown instead of sent. */
export function createMailer({ url, from }: { url: string | null; from: string | null }): Mailer | null {
  if (url === null || from === null) return null;
  // Most processes send no mail, so the client is loaded with the first one.
  let smtp: Promise<Mailer> | undefined;
  const load = () => (smtp ??= import('./smtp.ts').then((module) => module.createSmtpMailer({ url, from })));
  return {
    name: 'smtp',
    send: async (mail, signal) => (await load()).send(mail, signal),
    check: async (signal) => (await load()).check(signal),
  };
}
