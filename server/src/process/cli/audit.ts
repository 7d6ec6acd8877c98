import { readInstallationId } from '../../platform/database/installation.queries.ts';
import { openKeyring } from '../../platform/keyring/keyring.ts';
import type { ChainLink } from '../../records/audit/audit.queries.ts';
import { parseHead, verifyAuditLog } from '../../records/audit/chain.ts';
import { CommandFailed, type CommandInput, UsageError } from './command.ts';
import { withDatabase } from './open-deployment.ts';

/** Computes the chain of the audit log again, and compares it with a head of an earlier time. */
export async function verifyAudit(input: CommandInput): Promise<number> {
  const known = readHead(input);
  return withDatabase(input, async ({ db, encryption }) => {
    const installationId = await readInstallationId(db);
    const { deviceTokens } = await openKeyring({ db, encryption, installationId, source: 'ENCRYPTION_KEY' });
    const found = await verifyAuditLog(db, deviceTokens.keyedHash, known);
    if (!found.intact) {
      throw new CommandFailed(
        found.id === null
          ? `The audit log was changed: the chain ends before row ${found.position}, which --head names or follows`
          : `The audit log was changed: row ${found.position} of the chain is not the original one (${found.id})`,
      );
    }
    input.print(`The audit log is intact: ${found.rows} chained rows, head ${found.head}`);
    return 0;
  });
}

function readHead({ values: { head } }: CommandInput): ChainLink[] {
  if (head === undefined) return [];
  const parsed = parseHead(String(head));
  if (parsed === null) throw new UsageError('--head must be a number of rows and a hash, like 1234:9f86…');
  return [parsed];
}
