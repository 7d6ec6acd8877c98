import type { Transaction } from '../../platform/database/database.ts';
import { notFound, quotaExceeded } from '../../platform/http/errors.ts';
import { selectDocumentQuotas, tryChargeDocument } from '../../tenancy/usage/document-quota.sql.ts';

/** Call it last: it locks the team's counters until the commit. Throws `quota_exceeded`, documents first. */
export async function chargeDocument(tx: Transaction, teamId: string, characters: number): Promise<void> {
  while (!(await tryChargeDocument(tx, teamId, characters))) {
    const quotas = await selectDocumentQuotas(tx, teamId);
    if (quotas === undefined) throw notFound('team');
    const { documents, characters: text } = quotas;
    if (documents.used >= documents.limit) throw quotaExceeded('documents', { ...documents, needed: 1 });
    if (characters > 0 && text.used + characters > text.limit)
      throw quotaExceeded('characters', { ...text, needed: characters });
    // A deletion made room between the two statements. Try again.
  }
}
