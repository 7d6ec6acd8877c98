import type { Database } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { deleteExpiredPortals } from '../portal/portal.queries.ts';
import { deleteExpiredMails } from './mails.queries.ts';
import { deleteExpiredChallenges } from './passkeys.queries.ts';
import { deleteExpired } from './sessions.queries.ts';

export const forgetSessionsJob = ({ db }: { db: Database }): Job => ({
  name: 'forget-sessions',
  schedule: '17 * * * *',
  maxAttempts: 2,
  async run() {
    await deleteExpired(db);
    await deleteExpiredMails(db);
    await deleteExpiredPortals(db);
    await deleteExpiredChallenges(db);
  },
});
