import { randomBytes } from 'node:crypto';
import type { Encryption, SealedColumn } from '../../platform/shared/encryption.ts';
import { readWebhookSecret, signWebhook } from '../../platform/shared/webhook-signature.ts';

const context = (id: string): string => `webhooks:${id}`;

export const sealedWebhookColumns: readonly SealedColumn[] = ['secret_sealed', 'previous_secret_sealed'].map(
  (column) => ({ table: 'webhooks', column, identity: ['id'], context }),
);

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

export const sealSecret = ({ seal }: Pick<Encryption, 'seal'>, id: string, secret: string): Buffer =>
  seal(Buffer.from(secret), context(id));

export interface SigningSecrets {
  id: string;
  secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
}

/** Returns the headers of a delivery, signed with every valid secret. */
export type Sign = (eventId: string, payload: string) => Record<string, string>;

export function createSign({ open }: Pick<Encryption, 'open'>, secrets: SigningSecrets): Sign {
  const { id, secret_sealed: current, previous_secret_sealed: previous } = secrets;
  const keys = [current, ...(previous === null ? [] : [previous])].map((sealed) =>
    readWebhookSecret(open(sealed, context(id)).toString()),
  );
  return (eventId, payload) => signWebhook(keys, { id: eventId, sentAt: new Date(), payload });
}
