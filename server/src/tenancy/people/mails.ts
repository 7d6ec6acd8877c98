import type { Transaction } from '../../platform/database/database.ts';
import { enqueueJob } from '../../platform/jobs/enqueue.ts';
import type { Encryption, KeyedHash, SealedColumn } from '../../platform/shared/encryption.ts';
import { newId } from '../../platform/shared/ids.ts';
import { countMail, insertMail, type MailKind } from './mails.queries.ts';

interface RequestedMail {
  kind: MailKind;
  email: string;
  /** Whom an invitation is for. */
  userId?: string;
  /** The team in whose name it is sent, and which pays for it with its hourly limit. */
  teamId?: string | null;
  /** The device whose link it is. It has an hourly limit, too. */
  deviceId?: string;
  /** Null: the language of the user's team. */
  language: string | null;
  /** The token of a link, a code, or the JSON of what an alert says and where it leads. */
  secret: string;
  expiresAt: Date;
}

/** Mails that the worker sends after the transaction. */
export interface Outbox {
  /** Returns false without adding the mail if the team or the address had 20 in the last hour, or the device 5. */
  add(tx: Transaction, mail: RequestedMail): Promise<boolean>;
}

const maxPerHour = 20;
const maxPerDevice = 5;

export const sendMail = { name: 'send-mail', maxAttempts: 12 };

const context = (id: string): string => `mails:${id}`;

export const sealedMailSecrets: SealedColumn = {
  table: 'mails',
  column: 'secret_sealed',
  identity: ['id'],
  context,
};

export const openMailSecret = ({ open }: Pick<Encryption, 'open'>, id: string, sealed: Buffer): string =>
  open(sealed, context(id)).toString();

export function createOutbox({ seal }: Pick<Encryption, 'seal'>, keyedHash: KeyedHash): Outbox {
  return {
    async add(tx, { kind, email, userId = null, teamId = null, deviceId, language, secret, expiresAt }) {
      const address = keyedHash('mail-address', email.toLowerCase()).toString('base64url');
      if (!(await countMail(tx, `address:${address}`, maxPerHour))) return false;
      if (teamId !== null && !(await countMail(tx, `team:${teamId}`, maxPerHour))) return false;
      if (deviceId !== undefined && !(await countMail(tx, `device:${deviceId}`, maxPerDevice))) return false;
      const id = newId();
      const secretSealed = seal(Buffer.from(secret), context(id));
      await insertMail(tx, { id, kind, email, userId, teamId, language, secretSealed, expiresAt });
      await enqueueJob(tx, sendMail.name, { id }, { maxAttempts: sendMail.maxAttempts });
      return true;
    },
  };
}
