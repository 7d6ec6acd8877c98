import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { newPhone } from '../../../test/devices.ts';
import { startApiOn, startTestContext } from '../../../test/harness.ts';
import { createOwnedDevice } from '../../../test/owned-device.ts';
import { contactRoutes } from '../../lifecycle/contacts/contacts.routes.ts';
import { externalCleanupJobs } from '../../lifecycle/external-cleanup/external-cleanup.jobs.ts';
import { newId } from '../../platform/shared/ids.ts';
import type { FileStore } from '../../ports/file-store/file-store.ts';
import { deletionJob, orphanJob } from '../../records/external-deletions/external-deletions.ts';
import { recordInbound } from '../conversations/inbound.ts';
import { insertMedia } from './media.queries.ts';
import { createMediaFiles, type StoredBytes } from './media-files.ts';
import { messageRoutes } from './messages.routes.ts';
import { moveMediaJob } from './move-media.jobs.ts';

const context = await startTestContext();
const { db, fileStore, keyedHash, provider, clock, logger } = context;
const { api } = await startApiOn(context, { routes: (f) => [messageRoutes(f), contactRoutes(f)] });
const { signal } = new AbortController();
const large = randomBytes(65_537);

let putFails = false;
const flakyStore: Pick<FileStore, 'put'> = {
  put: (...call) => (putFails ? Promise.reject(new Error('the store is down')) : fileStore.put(...call)),
};
const mediaFiles = createMediaFiles({ db, fileStore: flakyStore, logger });
const move = (): Promise<void> => moveMediaJob({ db, fileStore: flakyStore, logger }).run({}, signal);
const cleanup = externalCleanupJobs({ db, provider, fileStore, clock, logger });
const runCleanup = (name: string): Promise<void> =>
  cleanup.find((job) => job.name === name)?.run({}, signal) ?? assert.fail(name);

const device = await createOwnedDevice(db);

beforeEach(async () => {
  putFails = false;
  await sql`delete from message_media`.execute(db);
  await sql`delete from messages`.execute(db);
  await runCleanup(deletionJob);
  await sql`delete from tombstones`.execute(db);
  for (const key of await listKeys()) await fileStore.delete(key);
});

async function listKeys(): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of fileStore.list('')) keys.push(key);
  return keys;
}

async function receive(bytes: Uint8Array, stored: StoredBytes, contactNumber = newPhone()): Promise<string> {
  const networkId = newId();
  await db.transaction().execute((tx) =>
    recordInbound(
      tx,
      device,
      {
        networkId,
        contactNumber,
        fromMe: false,
        sentAt: new Date(),
        content: { kind: 'image', mimeType: 'image/png', bytes, caption: '' },
      },
      keyedHash,
      stored,
    ),
  );
  const { rows } = await sql<{ id: string }>`select id from messages where network_id = ${networkId}`.execute(
    db,
  );
  return rows[0]?.id ?? assert.fail('the message is not stored');
}

const stage = (bytes: Uint8Array): Promise<StoredBytes> => mediaFiles.stage(device.teamId, bytes);

async function readRows() {
  const { rows } = await sql<{ bytes: number | null; key: string | null; size: number | null }>`
    select octet_length(bytes) as bytes, file_key as key, size from message_media order by message_id`.execute(
    db,
  );
  return rows;
}

async function countDeletions(): Promise<number> {
  const { rows } = await sql`select from tombstones where kind = 'file'`.execute(db);
  return rows.length;
}

const download = async (id: string): Promise<Uint8Array> => {
  const { status, bytes } = await api('GET', `/messages/${id}/media`);
  assert.equal(status, 200);
  return bytes;
};

test('keeps media of 64 KiB in the database, and larger ones in the file store', async () => {
  const small = randomBytes(65_536);
  const ids = [await receive(small, await stage(small)), await receive(large, await stage(large))];
  const [key] = await listKeys();
  assert.deepEqual(await readRows(), [
    { bytes: 65_536, key: null, size: null },
    { bytes: null, key, size: 65_537 },
  ]);
  assert.equal(await countDeletions(), 0);
  assert.ok(small.equals(await download(ids[0] ?? '')));
  assert.ok(large.equals(await download(ids[1] ?? '')));
});

test('deletes the file of a medium whose row was never stored', async () => {
  await stage(large);
  assert.equal((await listKeys()).length, 1);
  await runCleanup(deletionJob);
  assert.equal((await listKeys()).length, 1);
  await sql`update tombstones set next_attempt_at = now()`.execute(db);
  await runCleanup(deletionJob);
  assert.deepEqual([await listKeys(), await countDeletions()], [[], 0]);
});

test('stores no row for a file whose deletion has begun', async () => {
  const staged = await stage(large);
  await sql`update tombstones set attempts = 1`.execute(db);
  await assert.rejects(receive(large, staged), /deleted because its row was not stored in time/);
  assert.deepEqual(await readRows(), []);
  const { rows } = await sql`select from messages`.execute(db);
  assert.equal(rows.length, 0);
});

test('keeps the file when its transaction is repeated after a rollback', async () => {
  const staged = await stage(large);
  assert.ok(!(staged instanceof Uint8Array));
  await insertMedia(
    db,
    { messageId: newId(), position: 0, kind: 'image', mimeType: 'x/y', seconds: null, waveform: null },
    staged,
  );
  await assert.rejects(receive(large, staged), /message_media_file/);
  assert.equal(await countDeletions(), 1);
  await sql`update message_media set file_key = ${`${device.teamId}/media/${newId()}`}`.execute(db);
  await receive(large, staged);
  assert.equal(await countDeletions(), 0);
});

test('keeps large media in the database while the file store fails, and moves them afterwards', async () => {
  putFails = true;
  const id = await receive(large, await stage(large));
  assert.deepEqual(await readRows(), [{ bytes: 65_537, key: null, size: null }]);
  assert.ok(large.equals(await download(id)));
  await assert.rejects(move(), /the store is down/);
  assert.ok(large.equals(await download(id)));

  putFails = false;
  await move();
  const [row] = await readRows();
  assert.deepEqual([row?.bytes, row?.size], [null, 65_537]);
  assert.ok(large.equals(await download(id)));
  const keys = await listKeys();
  await move();
  assert.deepEqual(await listKeys(), keys, 'a repeated run moves nothing');
  await sql`update tombstones set next_attempt_at = now()`.execute(db);
  await runCleanup(deletionJob);
  assert.deepEqual(await listKeys(), keys);
});

test('deletes the file again when a medium is deleted while it is moved', async () => {
  await receive(large, large);
  const store: Pick<FileStore, 'put'> = {
    async put(...call) {
      await fileStore.put(...call);
      await sql`delete from message_media`.execute(db);
    },
  };
  await moveMediaJob({ db, fileStore: store, logger }).run({}, signal);
  assert.equal((await listKeys()).length, 1);
  await sql`update tombstones set next_attempt_at = now()`.execute(db);
  await runCleanup(deletionJob);
  assert.deepEqual(await listKeys(), []);
});

test('deletes files with the messages of an erased contact, and exports them before', async () => {
  const contact = newPhone();
  await receive(large, await stage(large), contact);
  await receive(large, await stage(large));
  const exported = await api('POST', `/contacts/${encodeURIComponent(contact)}/export`, { body: {} });
  assert.equal(exported.body.data.messages[0].media[0].content, large.toString('base64'));
  assert.equal('file_key' in exported.body.data.messages[0].media[0], false);
  const { status } = await api('POST', `/contacts/${encodeURIComponent(contact)}/erase`, { body: {} });
  assert.equal(status, 200);
  await runCleanup(deletionJob);
  const rows = await readRows();
  assert.deepEqual([rows.length, await listKeys()], [1, [rows[0]?.key]]);
});

test('the sweep of orphans deletes only files without a row', async () => {
  await receive(large, await stage(large));
  const kept = await listKeys();
  await fileStore.put(`${device.teamId}/media/${newId()}`, large);
  await stage(large);
  await runCleanup(orphanJob);
  await runCleanup(deletionJob);
  const left = await listKeys();
  assert.equal(left.length, 2, 'the file with a row, and the one that may still get it');
  assert.ok(left.includes(kept[0] ?? ''));
});

test('reports a missing file, and 404 for a medium that is deleted meanwhile', async () => {
  const id = await receive(large, await stage(large));
  for (const key of await listKeys()) await fileStore.delete(key);
  const missing = await api('GET', `/messages/${id}/media`);
  assert.deepEqual([missing.status, missing.body.details.reason], [500, 'file_missing']);
  await sql`delete from message_media`.execute(db);
  assert.equal((await api('GET', `/messages/${id}/media`)).status, 404);
});
