import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../server/test/eventually.ts';
import { createTestDatabase } from '../../server/test/test-database.ts';
import { startService } from '../demo/service-process.ts';

/** Parley with all roles and the simulated network as a separate process with its own database. */
export interface FuzzedService {
  baseUrl: string;
  key: { key_id: string; key_secret: string };
  /** Returns the log entries of one request. */
  logOf(requestId: string): Promise<string[]>;
  /** Returns all log entries of level error or fatal. */
  loggedErrors(): Promise<string[]>;
  close(): Promise<void>;
}

export async function startFuzzedService(): Promise<FuzzedService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-fuzz-'));
  const database = await createTestDatabase();
  const logFile = join(dataDir, 'service.log');
  const key = { key_id: 'pk_of_the_fuzz_run', key_secret: randomBytes(24).toString('base64url') };
  const service = await startService(
    {
      PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      BOOTSTRAP_KEY_ID: key.key_id,
      BOOTSTRAP_KEY_SECRET: key.key_secret,
      POOL_CAPACITY: '100000',
      RATE_LIMIT_PER_MINUTE: '0',
      MAX_UPLOAD_BYTES: String(2 * 1024 * 1024),
    },
    logFile,
  );
  const lines = async () => (await readFile(logFile, 'utf8')).split('\n');
  return {
    baseUrl: service.addresses.api ?? '',
    key,
    async loggedErrors() {
      return (await lines()).filter((line) => /"level":"(error|fatal)"/.test(line));
    },
    async logOf(requestId) {
      const isLast = (line: string) => line.includes('"msg":"request"');
      let logged: string[] = [];
      // The last entry is written after the response. A request that no route received has none.
      await eventually(async () => {
        logged = (await lines()).filter((line) => line.includes(`"${requestId}"`));
        assert.ok(logged.some(isLast));
      }, 1_000).catch(() => undefined);
      return logged.filter((line) => !isLast(line));
    },
    async close() {
      service.child.kill('SIGTERM');
      await service.ended;
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
