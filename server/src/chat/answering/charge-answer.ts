import type { Database } from '../../platform/database/database.ts';
import type { StepUsage } from '../../ports/provider-error.ts';
import type { ModelCallPurpose } from '../../tenancy/usage/model-calls.sql.ts';
import type { RecordModelCalls } from '../../tenancy/usage/model-calls.ts';
import { chargeCredits } from '../../tenancy/usage/usage.sql.ts';

interface Charge {
  teamId: string;
  purpose: ModelCallPurpose;
  month: string;
  credits: number;
  usage: readonly StepUsage[];
}

/**
 * Charges an answer that needs no other write and records its model calls. Returns false if the credits are used up; the
 * calls are recorded nevertheless, because the operator pays for them.
 */
export async function chargeAnswer(
  { db, recordModelCalls }: { db: Database; recordModelCalls: RecordModelCalls },
  { teamId, purpose, month, credits, usage }: Charge,
): Promise<boolean> {
  if (usage.length === 0) return chargeCredits(db, teamId, month, credits);
  return db.transaction().execute(async (tx) => {
    const charged = await chargeCredits(tx, teamId, month, credits);
    await recordModelCalls(tx, [{ teamId, purpose, answerId: null, usage }], month);
    return charged;
  });
}
