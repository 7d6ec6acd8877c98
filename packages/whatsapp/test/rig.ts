import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type ServiceProcess, startService } from '../../../scripts/demo/service-process.ts';
import { claimDocumentFolder } from '../../../server/src/platform/database/document-folder.ts';
import { createFileStore } from '../../../server/src/ports/file-store/create-file-store.ts';
import { readConfig } from '../../../server/src/process/config.ts';
import { findDocumentPlace } from '../../../server/src/process/document-place.ts';
import { addDevice, addTeamWithBot, readQrText, waitForDevice } from '../../../server/test/devices.ts';
import {
  openTestContext,
  startApiOn,
  type TestApp,
  testEncryptionKey,
} from '../../../server/test/harness.ts';
import { createTestDatabase } from '../../../server/test/test-database.ts';
import { type FakeProcess, startFakeProcess } from './fake-process.ts';

/** An api, the fake network and pools in their own processes, on one database. */
export interface Rig extends TestApp {
  fake: FakeProcess;
  /** `extra` adds variables to the environment. */
  startPool(extra?: Record<string, string>): Promise<ServiceProcess>;
  poolLog(): Promise<string>;
  /** Creates, links and connects a device, of a team of its own by default. Returns its id. */
  link(phone: string, owner?: { teamId: string; botId: string }): Promise<string>;
  /** Waits until the device's status matches. */
  until(
    device: string,
    matches: (status: Record<string, unknown>) => boolean,
  ): Promise<Record<string, unknown>>;
}

const program = fileURLToPath(new URL('./parley-on-fake.ts', import.meta.url));
/** Covers the expiry of a lease and a start of a pool on a slow machine. */
const statusTimeoutMs = 30_000;

/** `files` configures the file store. After the tests of the file, closes everything in reverse order. */
export async function startRig(files: Record<string, string> = {}): Promise<Rig> {
  const closers: (() => Promise<unknown>)[] = [];
  const database = await createTestDatabase();
  closers.push(database.drop);
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-whatsapp-'));
  closers.push(() => rm(dataDir, { recursive: true, force: true }));
  const fake = await startFakeProcess();
  closers.push(fake.close);
  const certificate = join(dataDir, 'media-host.pem');
  await writeFile(certificate, fake.certificate);
  const shared = { MESSAGING_NETWORK: 'whatsapp', DATA_DIR: dataDir, ...files };
  const config = readConfig(shared);
  const fileStore = createFileStore(config);
  const context = await openTestContext(database.url, { environment: shared, replacements: { fileStore } });
  closers.push(context.close);
  await claimDocumentFolder({ ...context, place: findDocumentPlace(config, fileStore) });
  const app = await startApiOn(context);
  after(async () => {
    for (const close of closers.reverse()) await close();
  });
  const until: Rig['until'] = (device, matches) => waitForDevice(app, device, matches, statusTimeoutMs);
  const environment = {
    ROLES: 'pool',
    ...shared,
    LEASE_SECONDS: '5',
    LOG_LEVEL: 'debug',
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: Buffer.from(testEncryptionKey).toString('base64'),
    FAKE_NETWORK: fake.url,
    NODE_EXTRA_CA_CERTS: certificate,
  };
  return {
    ...app,
    fake,
    until,
    poolLog: () => readFile(join(dataDir, 'pool.log'), 'utf8'),
    async startPool(extra = {}) {
      const pool = await startService({ ...environment, ...extra }, join(dataDir, 'pool.log'), {
        command: [process.execPath, program],
      });
      closers.push(async () => {
        pool.child.kill('SIGKILL');
        await pool.ended;
      });
      return pool;
    },
    async link(phone, owner) {
      const device = await addDevice(app, owner ?? (await addTeamWithBot(context.db)));
      const { status, body } = await app.api('POST', `/devices/${device}/connect`);
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(await fake.scan(await readQrText(context.db, device), phone), true);
      const linked = await until(device, ({ connected }) => connected === true);
      assert.equal(linked['phone_number'], phone);
      return device;
    },
  };
}
