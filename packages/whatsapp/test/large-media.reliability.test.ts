import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { sql } from 'kysely';
import { enqueueJob } from '../../../server/src/platform/jobs/enqueue.ts';
import { newPhone } from '../../../server/test/devices.ts';
import { eventually } from '../../../server/test/eventually.ts';
import { startS3Server, takeBucket } from '../../../server/test/s3-server.ts';
import { type Rig, startRig } from './rig.ts';

const contact = '+15550199';
const image = { kind: 'image', mimetype: 'image/png', caption: 'a receipt' };
const megabytes5 = randomBytes(5 * 1024 * 1024);
const megabytes12 = randomBytes(12 * 1024 * 1024);

interface StoredMedium {
  id: string;
  inTable: number | null;
  key: string | null;
  size: number | null;
}

async function readMedia({ context }: Rig, device: string): Promise<StoredMedium[]> {
  const { rows } = await sql<StoredMedium>`
    select m.id, octet_length(media.bytes) as "inTable", media.file_key as key, media.size
    from messages m join message_media media on media.message_id = m.id
    where m.device_id = ${device} order by m.seq`.execute(context.db);
  return rows;
}

const readScheduled = async ({ context }: Rig) =>
  (await sql<{ ref: string }>`select ref from tombstones where kind = 'file'`.execute(context.db)).rows;

async function listKeys({ context }: Rig): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of context.fileStore.list('')) if (key.includes('/')) keys.push(key);
  return keys;
}

async function untilStored(rig: Rig, device: string, count: number): Promise<StoredMedium[]> {
  return eventually(async () => {
    const media = await readMedia(rig, device);
    assert.equal(media.length, count);
    return media;
  }, 30_000);
}

interface Store {
  environment: Record<string, string>;
  fail(rig: Rig): Promise<unknown>;
  recover(rig: Rig): Promise<unknown>;
}

const stores: { name: string; start(): Promise<Store> }[] = [
  {
    name: 'local',
    async start() {
      const folder = ({ context }: Rig) => join(context.config.DATA_DIR, 'files');
      return {
        environment: {},
        async fail(rig) {
          await rename(folder(rig), `${folder(rig)}-kept`);
          await writeFile(folder(rig), 'not a folder');
        },
        async recover(rig) {
          await rm(folder(rig));
          await rename(`${folder(rig)}-kept`, folder(rig));
        },
      };
    },
  },
  {
    name: 's3',
    async start() {
      const server = await startS3Server();
      after(server.close);
      return {
        environment: server.environment(takeBucket()),
        fail: async () => server.child.kill('SIGSTOP'),
        recover: async () => server.child.kill('SIGCONT'),
      };
    },
  },
];

for (const { name, start } of stores) {
  describe(`large media of a linked device in the file store ${name}`, { timeout: 360_000 }, async () => {
    const store = await start();
    const rig = await startRig(store.environment);
    const { fake, context } = rig;

    test('are stored outside the database, and can be downloaded', async () => {
      const pool = await rig.startPool();
      const phone = newPhone();
      const device = await rig.link(phone);
      const small = randomBytes(64 * 1024);
      for (const bytes of [megabytes5, small, megabytes12])
        await fake.writeMedia({ from: contact, to: phone }, image, bytes);
      const media = await untilStored(rig, device, 3);
      assert.deepEqual(
        media.map(({ inTable, size }) => [inTable, size]),
        [
          [null, megabytes5.length],
          [small.length, null],
          [null, megabytes12.length],
        ],
      );
      for (const [index, bytes] of [megabytes5, small, megabytes12].entries()) {
        const downloaded = await rig.api('GET', `/messages/${media[index]?.id}/media`);
        assert.equal(downloaded.status, 200);
        assert.ok(bytes.equals(downloaded.bytes));
      }
      assert.equal((await listKeys(rig)).length, 2);
      assert.deepEqual(await readScheduled(rig), []);
      pool.child.kill('SIGTERM');
      await pool.ended;
    });

    test('are received once, and leave a file to delete, when a pool is killed before it stored the row', async () => {
      const first = await rig.startPool();
      const phone = newPhone();
      const device = await rig.link(phone);
      first.child.kill('SIGTERM');
      await first.ended;
      const before = await listKeys(rig);
      const killed = await rig.startPool({ NODE_ENV: 'test', FAULT_POINT: 'media.after_put' });
      await rig.until(device, ({ connected }) => connected === true);
      await fake.writeMedia({ from: contact, to: phone }, image, megabytes5);
      await killed.ended;
      assert.deepEqual(await readMedia(rig, device), []);
      const left = (await listKeys(rig)).filter((key) => !before.includes(key));
      assert.equal(left.length, 1);
      assert.deepEqual(await readScheduled(rig), [{ ref: left[0] }]);

      const next = await rig.startPool();
      const [medium] = await untilStored(rig, device, 1);
      assert.notEqual(medium?.key, left[0]);
      const downloaded = await rig.api('GET', `/messages/${medium?.id}/media`);
      assert.ok(megabytes5.equals(downloaded.bytes));
      next.child.kill('SIGTERM');
      await next.ended;
    });

    test('stay in the database while the file store fails, until a worker moves them', async () => {
      const pool = await rig.startPool({ ROLES: 'pool,worker' });
      const phone = newPhone();
      const device = await rig.link(phone);
      const bytes = randomBytes(100_000);
      await store.fail(rig);
      await fake.writeMedia({ from: contact, to: phone }, image, bytes);
      const [waiting] = await untilStored(rig, device, 1);
      assert.deepEqual([waiting?.inTable, waiting?.key], [bytes.length, null]);
      const download = async () => (await rig.api('GET', `/messages/${waiting?.id}/media`)).bytes;
      assert.ok(bytes.equals(await download()));

      await store.recover(rig);
      await enqueueJob(context.db, 'move-media', {}, { maxAttempts: 2 });
      const key = await eventually(async () => {
        const [moved] = await readMedia(rig, device);
        assert.deepEqual([moved?.inTable, moved?.size], [null, bytes.length]);
        return moved?.key ?? '';
      }, 60_000);
      assert.ok((await listKeys(rig)).includes(key));
      assert.ok(bytes.equals(await download()));
      pool.child.kill('SIGTERM');
      await pool.ended;
    });
  });
}
