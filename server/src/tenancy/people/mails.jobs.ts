import type { Database } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import type { Encryption } from '../../platform/shared/encryption.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { MailError, type Mailer } from '../../ports/mail/mail.ts';
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
  logger,
}: {
  db: Database;
  encryption: Pick<Encryption, 'open'>;
  mailer: Mailer;
  baseUrl: string;
  /** The brand of a team, or of the deployment for the partner's staff. */
  brandOf(teamId: string | null): Promise<MailBrand>;
  logger: Pick<Logger, 'warn'>;
}): Job<{ id: string }> => ({
  ...sendMail,
  async run({ id }, signal) {
    const mail = await selectMail(db, id);
    if (mail === undefined) return;
    if (mail.name !== null) {
      const { kind, email, name, team_name: team, expires_at: expiresAt, language } = mail;
      const brand = await brandOf(mail.team_id);
      const secret = openMailSecret(encryption, id, mail.secret_sealed);
      const written = writeMail({ kind, secret, team, expiresAt, language, baseUrl, brand });
      const to = { name, address: email };
      await mailer
        .send({ id, to, senderName: brand.senderName, ...written }, signal)
        .catch((error: unknown) => {
          if (!(error instanceof MailError && error.kind === 'refused')) throw error;
          logger.warn({ kind, reason: error.message }, 'the mail server refused a mail for good');
        });
    }
    await deleteMail(db, id);
  },
});
