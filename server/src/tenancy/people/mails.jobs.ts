import type { Database } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { MailError, type Mailer } from '../../ports/mail/mail.ts';
import type { MailMeters } from './mail-metrics.ts';
import { type MailBrand, writeMail } from './mail-texts.ts';
import { deleteMail, selectMail } from './mails.queries.ts';
import { openMailSecret, sendMail } from './mails.ts';

/** A mail is sent again after a crash between its sending and its deletion. Retries end after a day, or when the mail expires. */
export const sendMailJob = ({
  db,
  encryption,
  mailer,
  baseUrl,
  brandOf,
  isLinkOpen,
  logger,
  meters,
}: {
  db: Database;
  encryption: Pick<Encryption, 'open'>;
  mailer: Mailer;
  baseUrl: string;
  /** The brand of a team, or of the deployment for the partner's staff. */
  brandOf(teamId: string | null): Promise<MailBrand>;
  /** Whether the token of a link to a device still links a phone. */
  isLinkOpen(token: string): Promise<boolean>;
  logger: Pick<Logger, 'warn'>;
  meters: { mails: Pick<MailMeters['mails'], 'inc'> };
}): Job<{ id: string }> => ({
  ...sendMail,
  async run({ id }, signal) {
    const mail = await selectMail(db, id);
    if (mail === undefined) return;
    const { kind } = mail;
    const secret = openMailSecret(encryption, id, mail.secret_sealed);
    const send = async (name: string): Promise<'sent' | 'refused'> => {
      const { email, team_name: team, expires_at: expiresAt, language } = mail;
      const brand = await brandOf(mail.team_id);
      const written = writeMail({ kind, secret, team, expiresAt, language, baseUrl, brand });
      const to = { name, address: email };
      try {
        await mailer.send({ id, to, senderName: brand.senderName, ...written }, signal);
        return 'sent';
      } catch (error) {
        if (!(error instanceof MailError && error.kind === 'refused')) {
          meters.mails.inc({ kind, outcome: 'failed' });
          throw error;
        }
        logger.warn({ kind, reason: error.message }, 'the mail server refused a mail for good');
        return 'refused';
      }
    };
    const isPointless = kind === 'device_link' && !(await isLinkOpen(secret));
    const outcome = mail.name === null || isPointless ? 'dropped' : await send(mail.name);
    meters.mails.inc({ kind, outcome });
    await deleteMail(db, id);
  },
});
