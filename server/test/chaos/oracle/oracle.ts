import type { Environment } from '../environment.ts';
import type { Fixtures } from '../fixtures.ts';
import type { Ledger } from '../ledger.ts';
import { checkExternalObjects } from './external-objects.ts';
import { readNetworkJournal } from './network-journal.ts';
import { checkOwnership } from './ownership.ts';
import { checkAnswers, checkCopies, checkDeliveryStatuses } from './phones.ts';
import { checkCreatedObjects, checkSends } from './rows.ts';

/** Compares the final state with the acknowledged writes and returns every violation. */
export async function findViolations(
  { database, deployment, service }: Environment,
  { fixtures, ledger }: { fixtures: Fixtures; ledger: Ledger },
): Promise<string[]> {
  const journal = await readNetworkJournal(deployment.logs.simulator);
  return [
    ...(await checkCopies(journal, database)),
    ...(await checkDeliveryStatuses(journal, database)),
    ...(await checkAnswers(journal, ledger, database)),
    ...(await checkOwnership(journal, database)),
    ...(await checkCreatedObjects(ledger, database)),
    ...(await checkSends(ledger, fixtures, database)),
    ...checkActions(service.keys),
    ...(await checkExternalObjects({
      databaseUrl: database.urlFor(),
      providerUrl: deployment.providerUrl(),
      dataDir: deployment.dataDir,
    })),
  ];
}

/** Repeated attempts to answer must call the action under one Idempotency-Key. */
const checkActions = (keys: ReadonlyMap<string, ReadonlySet<string>>): string[] =>
  [...keys]
    .filter(([, distinct]) => distinct.size > 1)
    .map(([question, distinct]) => `"${question}" was requested under ${distinct.size} Idempotency-Keys`);
