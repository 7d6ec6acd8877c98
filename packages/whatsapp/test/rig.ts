import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type ServiceProcess, startService } from '../../../scripts/demo/service-process.ts';
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
  /** Creates, links and connects a device. Returns its id. */
  link(phone: string): Promise<string>;
  /** Waits until the device's status matches. */
  until(
    device: string,
    matches: (status: Record<string, unknown>) => boolean,
  ): Promise<Record<string, unknown>>;
}

const program = fileURLToPath(new URL('./parley-on-fake.ts', import.meta.url));
/** Covers the expiry of a lease and a start of a pool on a slow machine. */
const statusTimeoutMs = 30_000;

/** After the tests of the file, closes everything in reverse order. */
export async function startRig(): Promise<Rig> {
  const closers: (() => Promise<unknown>)[] = [];
  const database = await createTestDatabase();
  closers.push(database.drop);
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-whatsapp-'));
  closers.push(() => rm(dataDir, { recursive: true, force: true }));
  const fake = await startFakeProcess();
  closers.push(fake.close);
  const certificate = join(dataDir, 'media-host.pem');
  await writeFile(certificate, fake.certificate);
  const context = await openTestContext(database.url, { environment: { MESSAGING_NETWORK: 'whatsapp' } });
  closers.push(context.close);
  const app = await startApiOn(context);
  after(async () => {
    for (const close of closers.reverse()) await close();
  });
  const until: Rig['until'] = (device, matches) => waitForDevice(app, device, matches, statusTimeoutMs);
  const environment = {
    ROLES: 'pool',
    MESSAGING_NETWORK: 'whatsapp',
    LEASE_SECONDS: '5',
    LOG_LEVEL: 'debug',
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: Buffer.from(testEncryptionKey).toString('base64'),
    FAKE_NETWORK: fake.url,
    DATA_DIR: dataDir,
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
    async link(phone) {
      const device = await addDevice(app, await addTeamWithBot(context.db));
      const { status, body } = await app.api('POST', `/devices/${device}/connect`);
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(await fake.scan(await readQrText(context.db, device), phone), true);
      const linked = await until(device, ({ connected }) => connected === true);
      assert.equal(linked['phone_number'], phone);
      return device;
    },
  };
}
