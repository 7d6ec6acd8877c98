import type { Database } from '../database/database.ts';
import type { Job } from '../jobs/job.ts';
import type { KeyedHash } from '../shared/encryption.ts';
import { chainAuditLog } from './chain.ts';

export const chainAuditLogJob = ({ db, keyedHash }: { db: Database; keyedHash: KeyedHash }): Job => ({
  name: 'chain-audit-log',
  schedule: '* * * * *',
  maxAttempts: 2,
  oneAtATime: true,
  run: (_payload, signal) => chainAuditLog(db, keyedHash, signal),
});
