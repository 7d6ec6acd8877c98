import type { Stage } from '../environment.ts';
import type { Furniture } from '../fixtures.ts';
import type { Ledger } from '../ledger.ts';
import { judgeOutside } from './external-objects.ts';
import { readNetworkJournal } from './network-journal.ts';
import { judgeOwnership } from './ownership.ts';
import { judgeAnswers, judgeCopies, judgeOutcomes } from './phones.ts';
import { judgeMade, judgeSends } from './rows.ts';

/** Holds what is there, now that all is at rest, against what was told to the outside. Answers what is wrong. */
export async function judge(
  { database, deployment, service }: Stage,
  { furniture, ledger }: { furniture: Furniture; ledger: Ledger },
): Promise<string[]> {
  const journal = await readNetworkJournal(deployment.logs.simulator);
  return [
    ...(await judgeCopies(journal, database)),
    ...(await judgeOutcomes(journal, database)),
    ...(await judgeAnswers(journal, ledger, database)),
    ...(await judgeOwnership(journal, database)),
    ...(await judgeMade(ledger, database)),
    ...(await judgeSends(ledger, furniture, database)),
    ...judgeActions(service.keys),
    ...(await judgeOutside({
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
