import { existsSync } from 'node:fs';
import { verifyAuditLog } from '../server/src/audit/chain.ts';
import { readConfig } from '../server/src/config.ts';
import { connectDatabase } from '../server/src/database/database.ts';
import { startEmbeddedServer } from '../server/src/database/embedded/embedded-server.ts';
import { readInstallationId } from '../server/src/database/installation.queries.ts';
import { openEncryptionKeys } from '../server/src/encryption-keys.ts';
import { openKeyring } from '../server/src/key-rotation/keyring.ts';
import { createEncryption, type Encryption } from '../server/src/shared/encryption.ts';
import { createLogger } from '../server/src/shared/logger.ts';
import { refuseUse } from './command-line.ts';

const usage = 'npm run audit:verify';
const logger = createLogger('warn');

/** Computes the chain of the audit log again. Exits with 1 if a row was changed or removed. */
async function verify(): Promise<boolean> {
  const config = readConfig({ ...process.env, ROLES: 'api,pool,worker' });
  const { encryptionKeys } = await openEncryptionKeys(config);
  const encryption = createEncryption(...encryptionKeys);
  if (config.DATABASE_URL !== null) return verifyAt(config.DATABASE_URL, encryption);
  const { DATA_DIR: dataDir } = config;
  if (!existsSync(dataDir))
    refuseUse(usage, `There is no database in ${dataDir}: set DATA_DIR or DATABASE_URL`);
  const server = await startEmbeddedServer({ dataDir, encryption, logger });
  try {
    return await verifyAt(server.url, encryption);
  } finally {
    await server.release();
  }
}

async function verifyAt(url: string, encryption: Encryption): Promise<boolean> {
  const { db, close } = connectDatabase({ url, poolSize: 1, applicationName: 'parley audit', logger });
  try {
    const installationId = await readInstallationId(db);
    const { deviceTokens } = await openKeyring({ db, encryption, installationId, source: 'ENCRYPTION_KEY' });
    const found = await verifyAuditLog(db, deviceTokens.keyedHash);
    if (found.intact) console.log(`The audit log is intact: ${found.rows} chained rows, head ${found.head}`);
    else
      console.error(
        `The audit log was changed: row ${found.position} of the chain is not the original one (${found.id})`,
      );
    return found.intact;
  } finally {
    await close();
  }
}

process.exit((await verify()) ? 0 : 1);
