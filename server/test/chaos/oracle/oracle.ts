import type { Environment } from '../environment.ts';
import type { Fixtures } from '../fixtures.ts';
import type { Ledger } from '../ledger.ts';
import { checkEvents } from './events.ts';
import { checkExternalObjects } from './external-objects.ts';
import { checkModelCalls } from './model-calls.ts';
import { readNetworkJournal } from './network-journal.ts';
import { checkOwnership } from './ownership.ts';
import { checkAnswers, checkCopies, checkDeliveryStatuses, checkNotices } from './phones.ts';
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
    ...(await checkNotices(database)),
    ...(await checkOwnership(journal, database)),
    ...(await checkCreatedObjects(ledger, database)),
    ...(await checkSends(ledger, fixtures, database)),
    ...checkActions(service.calls),
    ...(await checkEvents(service.confirmed, database)),
    ...(await checkExternalObjects({
      databaseUrl: database.urlFor(),
      providerUrl: deployment.providerUrl(),
      modelSettings: deployment.modelSettings,
      dataDir: deployment.dataDir,
    })),
    ...(deployment.modelSettings === null ? [] : await checkModelCalls(database)),
  ];
}

/** Attempts to answer must not repeat a POST, whatever happened during the call. */
const checkActions = (calls: ReadonlyMap<string, number>): string[] =>
  [...calls]
    .filter(([, count]) => count > 1)
    .map(([question, count]) => `the action for "${question}" was called ${count} times`);
