import type { Environment } from '../environment.ts';
import type { Fixtures } from '../fixtures.ts';
import type { Ledger } from '../ledger.ts';
import { checkExternalObjects } from './external-objects.ts';
import { readNetworkJournal } from './network-journal.ts';
import { checkOwnership } from './ownership.ts';
import { checkAnswers, checkCopies, checkDeliveryStatuses } from './phones.ts';
import { checkCreatedObjects, checkSends } from './rows.ts';

/** Holds what is there, now that all is at rest, against what was told to the outside. Answers what is wrong. */
export async function findViolations(
  { database, deployment, service }: Environment,
  { furniture, ledger }: { furniture: Fixtures; ledger: Ledger },
): Promise<string[]> {
  const journal = await readNetworkJournal(deployment.logs.simulator);
  return [
    ...(await checkCopies(journal, database)),
    ...(await checkDeliveryStatuses(journal, database)),
    ...(await checkAnswers(journal, ledger, database)),
    ...(await checkOwnership(journal, database)),
    ...(await checkCreatedObjects(ledger, database)),
    ...(await checkSends(ledger, furniture, database)),
    ...judgeActions(service.keys),
    ...(await checkExternalObjects({
      databaseUrl: database.urlFor(),
      providerUrl: deployment.providerUrl(),
      dataDir: deployment.dataDir,
    })),
  ];
}

/** However often an answer was begun, a partner's service is asked for the same thing under the same key. */
const judgeActions = (keys: ReadonlyMap<string, ReadonlySet<string>>): string[] =>
  [...keys]
    .filter(([, distinct]) => distinct.size > 1)
    .map(([question, distinct]) => `"${question}" was asked for under ${distinct.size} Idempotency-Keys`);
