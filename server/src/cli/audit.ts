import { verifyAuditLog } from '../audit/chain.ts';
import { readInstallationId } from '../database/installation.queries.ts';
import { openKeyring } from '../key-rotation/keyring.ts';
import { CommandFailed, type CommandInput } from './command.ts';
import { withDatabase } from './open-deployment.ts';

/** Computes the chain of the audit log again. */
export const verifyAudit = (input: CommandInput): Promise<number> =>
  withDatabase(input, async ({ db, encryption }) => {
    const installationId = await readInstallationId(db);
    const { deviceTokens } = await openKeyring({ db, encryption, installationId, source: 'ENCRYPTION_KEY' });
    const found = await verifyAuditLog(db, deviceTokens.keyedHash);
    if (!found.intact) {
      throw new CommandFailed(
        `The audit log was changed: row ${found.position} of the chain is not the original one (${found.id})`,
      );
    }
    input.print(`The audit log is intact: ${found.rows} chained rows, head ${found.head}`);
    return 0;
  });
