import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { addTeamWithBot } from '../../../test/devices.ts';
import { startTestContext } from '../../../test/harness.ts';
import { promptly } from '../../../test/promptly.ts';
import { newId } from '../../platform/shared/ids.ts';
import { type DeliveryAttempt, toNetworkId } from './delivery-attempt.ts';
import { createMediaFiles } from './media-files.ts';
import { createOutbox, endMessagesOfDeletedDevice, enqueueReplies } from './outbox.ts';

const context = await startTestContext();
const { db } = context;
const outbox = createOutbox(context);
const contact = '+15550199';

interface Owned {
  teamId: string;
  deviceId: string;
  poolId: string;
}

async function addOwned(): Promise<Owned> {
  const { teamId, botId } = await addTeamWithBot(db);
  const [deviceId, poolId] = [newId(), await addPool()];
  await sql`
    insert into devices (id, team_id, bot_id, name, status, connected, pool_id, pool_url)
    values (${deviceId}, ${teamId}, ${botId}, 'Desk', 'started', true, ${poolId}, 'http://pool')`.execute(db);
  await sql`insert into monthly_usage (team_id, month, active_messages) values (${teamId}, '2026-11-01', 5)`.execute(
    db,
  );
  return { teamId, deviceId, poolId };
}

/** Adds replies to the outbox, charged like messages of the API. */
async function addCharged(owned: Owned, texts: string[], contactNumber = contact): Promise<string[]> {
  const ids = await db.transaction().execute((tx) =>
    enqueueReplies(tx, {
      ...owned,
      contactNumber,
      origin: 'bot',
      answerId: null,
      requestId: null,
      parts: texts.map((text) => ({ text })),
    }),
  );
  await sql`update messages set charged_month = '2026-11-01', next_attempt_at = now() - interval '1 second' where id = any(${ids}::uuid[])`.execute(
    db,
  );
  return ids;
}

const claim = ({ poolId, deviceId }: Owned): Promise<DeliveryAttempt[]> =>
  outbox.claim(poolId, [{ deviceId, room: 10, mediaRoom: 10 }]);

async function claimOne(owned: Owned): Promise<DeliveryAttempt> {
  const [attempt, ...others] = await claim(owned);
  assert.ok(attempt);
  assert.equal(others.length, 0);
  return attempt;
}

/** More than the database connections of a process. */
const manyMessages = 40;

/** Claims messages of several chats. */
async function claimMany(owned: Owned, count = manyMessages): Promise<DeliveryAttempt[]> {
  for (let n = 0; n < count; n += 1) await addCharged(owned, ['one'], `+1555${10_000 + n}`);
  const claimed = await outbox.claim(owned.poolId, [
    { deviceId: owned.deviceId, room: count, mediaRoom: count },
  ]);
  assert.equal(claimed.length, count);
  return claimed;
}

/** Locks the team's rows of a table while `work` runs. */
const whileLocked = <Result>(
  table: string,
  { teamId }: Owned,
  work: () => Promise<Result>,
): Promise<Result> =>
  db.transaction().execute(async (tx) => {
    await sql`select from ${sql.table(table)} where team_id = ${teamId} for update`.execute(tx);
    return work();
  });

/** A pool with a valid lease. */
async function addPool(): Promise<string> {
  const id = newId();
  await sql`
    insert into pools (id, url, capacity, lease_until)
    values (${id}, 'http://pool', 9, now() + interval '1 hour')`.execute(db);
  return id;
}

const statusOf = async (id: string) =>
  (
    await sql<{ status: string; failure: string | null; refunded: boolean }>`
      select status, failure, refunded from messages where id = ${id}`.execute(db)
  ).rows[0];

const usedBy = async ({ teamId }: Owned) =>
  (
    await sql<{
      used: number;
    }>`select active_messages as used from monthly_usage where team_id = ${teamId}`.execute(db)
  ).rows[0]?.used;

/** Expires delays and claims. Columns round to milliseconds, so a rounded `now()` may be in the future. */
const letTimePass = (id: string) =>
  sql`update messages set next_attempt_at = now() - interval '1 second', claimed_until = null where id = ${id}`.execute(
    db,
  );

describe('the outbox', () => {
  test('claims media for as long as an image and a voice note can take', async () => {
    const owned = await addOwned();
    const [id] = await addCharged(owned, ['a picture']);
    await sql`update messages set kind = 'image' where id = ${id}`.execute(db);
    await claimOne(owned);
    const { rows } = await sql`
      select claimed_until > now() + interval '38 seconds' as enough from messages where id = ${id}`.execute(
      db,
    );
    assert.deepEqual(rows, [{ enough: true }]);
  });

  test('delivers the next message of a chat only when the previous one has an outcome', async () => {
    const owned = await addOwned();
    const [first, second] = await addCharged(owned, ['one', 'two']);
    const [other] = await addCharged(owned, ['elsewhere'], '+15550198');
    const claimed = await claim(owned);
    assert.deepEqual(new Set(claimed.map(({ messageId }) => messageId)), new Set([first, other]));
    assert.ok(claimed.every(({ hasMore }) => hasMore));
    assert.deepEqual(await claim(owned), []);
    await Promise.all(claimed.map((attempt) => outbox.recordSent(attempt)));
    const next = await claimOne(owned);
    assert.equal(next.messageId, second);
    assert.equal(next.hasMore, false);
  });

  test('claims no more messages with media than there is room for, and all texts', async () => {
    const owned = await addOwned();
    const images: string[] = [];
    for (const number of ['+15550101', '+15550102', '+15550103'])
      images.push(...(await addCharged(owned, ['a picture'], number)));
    await sql`update messages set kind = 'image' where id = any(${images}::uuid[])`.execute(db);
    const texts = await addCharged(owned, ['one'], '+15550104');
    const claimed = await outbox.claim(owned.poolId, [{ deviceId: owned.deviceId, room: 10, mediaRoom: 2 }]);
    const ids = claimed.map(({ messageId }) => messageId);
    assert.deepEqual(new Set(ids), new Set([...images.slice(0, 2), ...texts]));
    assert.ok(claimed.every(({ hasMore }) => hasMore));
  });

  test('claims a text behind more messages with media than there is room for', async () => {
    const owned = await addOwned();
    const images: string[] = [];
    for (let n = 0; n < 12; n += 1)
      images.push(...(await addCharged(owned, ['a picture'], `+155503${10 + n}`)));
    await sql`update messages set kind = 'image' where id = any(${images}::uuid[])`.execute(db);
    const texts = await addCharged(owned, ['one'], '+15550299');
    const claimed = await outbox.claim(owned.poolId, [{ deviceId: owned.deviceId, room: 10, mediaRoom: 4 }]);
    const ids = claimed.map(({ messageId }) => messageId);
    assert.deepEqual(new Set(ids), new Set([...images.slice(0, 4), ...texts]));
  });

  test('claims only for the owner of the device, and for a new owner at once', async () => {
    const owned = await addOwned();
    const [id] = await addCharged(owned, ['one']);
    assert.deepEqual(await claim({ ...owned, poolId: newId() }), []);
    const stale = await claimOne(owned);
    const poolId = await addPool();
    await sql`update devices set pool_id = ${poolId}, epoch = epoch + 1 where id = ${owned.deviceId}`.execute(
      db,
    );
    const taken = await claimOne({ ...owned, poolId });
    assert.equal(taken.parts[0]?.networkId, stale.parts[0]?.networkId);
    await outbox.recordRefused(stale, 'network_refused');
    assert.equal((await statusOf(id ?? ''))?.status, 'accepted');
    assert.equal(await usedBy(owned), 5);
  });

  test('claims nothing for a pool whose lease has expired, even before a takeover', async () => {
    const owned = await addOwned();
    await addCharged(owned, ['one']);
    await sql`update pools set lease_until = now() - interval '1 second' where id = ${owned.poolId}`.execute(
      db,
    );
    assert.deepEqual(await claim(owned), []);
  });

  test('refunds a refused message once, however often the refusal is reported', async () => {
    const owned = await addOwned();
    const [id = ''] = await addCharged(owned, ['one']);
    const attempt = await claimOne(owned);
    await Promise.all([
      outbox.recordRefused(attempt, 'recipient_unknown'),
      outbox.recordRefused(attempt, 'recipient_unknown'),
      outbox.recordReceipt(owned, { networkId: attempt.parts[0]?.networkId ?? '', state: 'failed' }),
    ]);
    assert.equal((await statusOf(id))?.refunded, true);
    assert.equal(await usedBy(owned), 4);
  });

  test('refunds after a late refusal of the only attempt, but not of a retry or of a held message', async () => {
    const owned = await addOwned();
    const [once = ''] = await addCharged(owned, ['one'], '+15550101');
    const [again = ''] = await addCharged(owned, ['two'], '+15550102');
    const [held = ''] = await addCharged(owned, ['three'], '+15550103');
    await sql`update messages set held_when_restricted = true where id = ${held}`.execute(db);
    for (const attempt of await claim(owned)) await outbox.scheduleRetry(attempt);
    await letTimePass(again);
    assert.equal((await claimOne(owned)).attempts, 2);
    for (const id of [once, again, held])
      await outbox.recordReceipt(owned, { networkId: toNetworkId(id), state: 'failed' });
    assert.deepEqual(await statusOf(once), { status: 'refused', failure: 'network_refused', refunded: true });
    for (const id of [again, held])
      assert.deepEqual(await statusOf(id), { status: 'accepted', failure: null, refunded: false });
    assert.equal(await usedBy(owned), 4);
  });

  test('retries an unknown outcome three times, then marks it unknown without a refund', async () => {
    const owned = await addOwned();
    const [id = ''] = await addCharged(owned, ['one']);
    const networkIds = new Set<string | undefined>();
    for (let number = 1; number <= 4; number += 1) {
      const attempt = await claimOne(owned);
      assert.equal(attempt.attempts, number);
      networkIds.add(attempt.parts[0]?.networkId);
      const delay = await outbox.scheduleRetry(attempt);
      assert.equal(delay === null, number === 4);
      await letTimePass(id);
    }
    assert.equal(networkIds.size, 1);
    assert.deepEqual(await statusOf(id), { status: 'unknown', failure: 'retries_ended', refunded: false });
    assert.equal(await usedBy(owned), 5);
    assert.deepEqual(await claim(owned), []);
  });

  test('does not refund after the refusal of a retry', async () => {
    const owned = await addOwned();
    const [id = ''] = await addCharged(owned, ['one']);
    await outbox.scheduleRetry(await claimOne(owned));
    await letTimePass(id);
    await outbox.recordRefused(await claimOne(owned), 'network_refused');
    assert.deepEqual(await statusOf(id), { status: 'unknown', failure: 'network_refused', refunded: false });
  });

  test('marks a message as unknown ten minutes after its first attempt', async () => {
    const owned = await addOwned();
    const [id = ''] = await addCharged(owned, ['one']);
    await outbox.scheduleRetry(await claimOne(owned));
    for (const [ago, status] of [
      ['9 minutes 50 seconds', 'accepted'],
      ['10 minutes 1 second', 'unknown'],
    ]) {
      await sql`update messages set handed_off_at = now() - ${ago}::interval where id = ${id}`.execute(db);
      await outbox.sweep(owned.poolId);
      assert.equal((await statusOf(id))?.status, status);
    }
  });

  test('locked messages delay no acknowledgement and no receipt of another team', async () => {
    const [locked, other] = [await addOwned(), await addOwned()];
    const [lockedAttempts, [attempt]] = [await claimMany(locked), await claimMany(other, 1)];
    assert.ok(attempt);
    const networkId = attempt.parts[0]?.networkId ?? '';
    const writes = await whileLocked('messages', locked, async () => {
      const started = lockedAttempts.flatMap((each) => [
        outbox.recordSent(each),
        outbox.recordReceipt(locked, { networkId: each.parts[0]?.networkId ?? '', state: 'delivered' }),
      ]);
      await promptly(outbox.recordSent(attempt));
      await promptly(outbox.recordReceipt(other, { networkId, state: 'read' }));
      assert.equal((await statusOf(attempt.messageId))?.status, 'read');
      return { started };
    });
    await Promise.all(writes.started);
    for (const { messageId } of lockedAttempts)
      assert.equal((await statusOf(messageId))?.status, 'delivered');
  });

  for (const [table, behaviour] of [
    ['messages', 'locked messages delay no refusal and no retry of another team'],
    ['monthly_usage', 'a locked month delays no refusal and no retry of another team'],
  ] as const) {
    test(behaviour, async () => {
      const [locked, other] = [await addOwned(), await addOwned()];
      const lockedAttempts = await claimMany(locked);
      const [refused, unknown] = await claimMany(other, 2);
      assert.ok(refused && unknown);
      const writes = await whileLocked(table, locked, async () => {
        const started = lockedAttempts.map((each, n) =>
          n % 2 === 0
            ? outbox.recordRefused(each, 'network_refused')
            : outbox.recordReceipt(locked, { networkId: each.parts[0]?.networkId ?? '', state: 'failed' }),
        );
        await promptly(outbox.recordRefused(refused, 'network_refused'));
        await promptly(outbox.scheduleRetry(unknown));
        assert.equal(await usedBy(other), 4);
        return { started };
      });
      await Promise.all(writes.started);
      for (const { messageId } of lockedAttempts)
        assert.deepEqual(await statusOf(messageId), {
          status: 'refused',
          failure: 'network_refused',
          refunded: true,
        });
    });
  }

  test('the sweep does not wait for a locked month of another team', async () => {
    const teams = [await addOwned(), await addOwned(), await addOwned(), await addOwned()];
    const [locked, other, lockedOrphan, otherOrphan] = teams;
    assert.ok(locked && other && lockedOrphan && otherOrphan);
    const ids = await Promise.all(teams.map(async (owned) => (await addCharged(owned, ['old']))[0] ?? ''));
    await sql`update messages set created_at = now() - interval '25 hours' where id = any(${ids}::uuid[])`.execute(
      db,
    );
    await sql`delete from devices where id in (${lockedOrphan.deviceId}, ${otherOrphan.deviceId})`.execute(
      db,
    );
    const states = () => Promise.all(ids.map(async (id) => (await statusOf(id))?.status));
    await whileLocked('monthly_usage', locked, () =>
      whileLocked('monthly_usage', lockedOrphan, async () => {
        await promptly(outbox.sweep(locked.poolId));
        assert.deepEqual(await states(), ['accepted', 'refused', 'accepted', 'refused']);
      }),
    );
    await outbox.sweep(locked.poolId);
    assert.deepEqual(await states(), ['refused', 'refused', 'refused', 'refused']);
    assert.deepEqual(await Promise.all(teams.map(usedBy)), [4, 4, 4, 4]);
  });

  test('the sweep skips locked messages', async () => {
    const [owned, gone] = [await addOwned(), await addOwned()];
    const spent = await addCharged(owned, ['one', 'two']);
    const orphans = await addCharged(gone, ['one', 'two']);
    await sql`update messages set attempts = 4 where id = any(${spent}::uuid[])`.execute(db);
    await sql`update messages set created_at = now() - interval '1 hour' where id = any(${orphans}::uuid[])`.execute(
      db,
    );
    await sql`delete from devices where id = ${gone.deviceId}`.execute(db);
    const all = [...spent, ...orphans];
    const states = async () => Promise.all(all.map(async (id) => (await statusOf(id))?.status));
    await db.transaction().execute(async (tx) => {
      await sql`select from messages where id = any(${[spent[0], orphans[0]]}::uuid[]) for update`.execute(
        tx,
      );
      await outbox.sweep(owned.poolId);
      assert.deepEqual(await states(), ['accepted', 'unknown', 'accepted', 'refused']);
    });
    await outbox.sweep(owned.poolId);
    assert.deepEqual(await states(), ['unknown', 'unknown', 'refused', 'refused']);
    assert.deepEqual([await usedBy(owned), await usedBy(gone)], [5, 3]);
  });

  test('refuses and refunds messages that were not attempted within a day', async () => {
    const owned = await addOwned();
    const [late = '', tried = '', waiting = ''] = await addCharged(owned, ['one', 'two', 'three']);
    await sql`
      update messages set attempts = case when id = ${tried} then 1 else 0 end,
        created_at = now() - make_interval(hours => case when id = ${waiting} then 23 else 24 end)
      where id in (${late}, ${tried}, ${waiting})`.execute(db);
    await outbox.sweep(owned.poolId);
    assert.deepEqual(await statusOf(late), {
      status: 'refused',
      failure: 'not_sent_in_time',
      refunded: true,
    });
    assert.deepEqual(
      [(await statusOf(tried))?.status, (await statusOf(waiting))?.status],
      ['accepted', 'accepted'],
    );
    await outbox.sweep(owned.poolId);
    assert.equal(await usedBy(owned), 4);
  });

  test('records the event of each status once, also if a receipt arrives before the acknowledgement', async () => {
    const owned = await addOwned();
    const [early = '', late = ''] = await addCharged(owned, ['one', 'two']);
    const eventsOf = async (messageId: string) => {
      const { rows } = await sql<{ type: string; text: string | null }>`
        select type, data->>'text' as text from events
        where team_id = ${owned.teamId} and data->>'message_id' = ${messageId} order by seq`.execute(db);
      return rows.map(({ type, text }) => (text === null ? type : `${type} ${text}`));
    };
    const attempt = await claimOne(owned);
    const networkId = attempt.parts[0]?.networkId ?? '';
    await outbox.recordReceipt(owned, { networkId, state: 'delivered' });
    await outbox.recordSent(attempt);
    await outbox.recordReceipt(owned, { networkId, state: 'read' });
    assert.deepEqual(await eventsOf(early), ['message.sent one', 'message.delivered', 'message.read']);
    const next = await claimOne(owned);
    await outbox.recordReceipt(owned, { networkId: next.parts[0]?.networkId ?? '', state: 'read' });
    await outbox.recordSent(next);
    assert.deepEqual(await eventsOf(late), ['message.sent two', 'message.delivered', 'message.read']);
  });

  test('advances the status with receipts and never moves it back', async () => {
    const owned = await addOwned();
    const [id = ''] = await addCharged(owned, ['one']);
    const attempt = await claimOne(owned);
    const networkId = attempt.parts[0]?.networkId ?? '';
    await outbox.recordReceipt(owned, { networkId, state: 'delivered' });
    await outbox.recordSent(attempt);
    assert.equal((await statusOf(id))?.status, 'delivered');
    await outbox.recordReceipt(owned, { networkId, state: 'read' });
    await outbox.recordReceipt(owned, { networkId, state: 'delivered' });
    assert.equal((await statusOf(id))?.status, 'read');
    await outbox.recordReceipt(owned, { networkId: 'an id of the network', state: 'read' });
  });

  test('finds a message by the id that the network gave it', async () => {
    const [owned, other] = [await addOwned(), await addOwned()];
    const [id = ''] = await addCharged(owned, ['one']);
    await outbox.recordSent(await claimOne(owned), 'wamid.HBgL');
    await outbox.recordReceipt(other, { networkId: 'wamid.HBgL', state: 'read' });
    assert.equal((await statusOf(id))?.status, 'sent');
    await outbox.recordReceipt(owned, { networkId: 'wamid.HBgL', state: 'delivered' });
    assert.equal((await statusOf(id))?.status, 'delivered');
  });

  test('ends the messages of a deleted device and refunds those never attempted', async () => {
    const owned = await addOwned();
    const [attempted = '', waiting = ''] = await addCharged(owned, ['one', 'two']);
    await claimOne(owned);
    await db.transaction().execute((tx) => endMessagesOfDeletedDevice(tx, owned.deviceId));
    assert.deepEqual(await statusOf(attempted), {
      status: 'unknown',
      failure: 'device_deleted',
      refunded: false,
    });
    assert.deepEqual(await statusOf(waiting), {
      status: 'refused',
      failure: 'device_deleted',
      refunded: true,
    });
    assert.equal(await usedBy(owned), 4);
  });
});

describe('a message with a large file', () => {
  test('waits in the outbox while the file store fails, and is then sent with its bytes', async () => {
    const owned = await addOwned();
    const bytes = randomBytes(100_000);
    const staged = await createMediaFiles(context).stage(owned.teamId, bytes);
    const spoken = { bytes: staged, seconds: 3, waveform: new Uint8Array(64) };
    const [id = ''] = await db.transaction().execute((tx) =>
      enqueueReplies(tx, {
        ...owned,
        contactNumber: contact,
        origin: 'bot',
        answerId: null,
        requestId: null,
        parts: [{ text: 'Hello', spoken }],
      }),
    );
    const failing = createOutbox({
      ...context,
      fileStore: { get: () => Promise.reject(new Error('the store is down')) },
    });
    for (let round = 0; round < 5; round += 1) {
      const attempt = await claimOne(owned);
      assert.equal(attempt.attempts, 1, 'a failure of the store is no attempt');
      await assert.rejects(failing.load(attempt), /the store is down/);
      await failing.recordUnread(attempt);
      assert.deepEqual(await claim(owned), [], 'waits some seconds');
      await sql`update messages set next_attempt_at = now() - interval '1 second' where id = ${id}`.execute(
        db,
      );
    }
    const attempt = await claimOne(owned);
    const [part] = await outbox.load(attempt);
    assert.ok(part?.content.kind === 'voice' && bytes.equals(part.content.bytes));
    await outbox.recordSent(attempt);
    const resent = await outbox.findSent(owned.deviceId, part.networkId);
    assert.ok(resent?.kind === 'voice' && bytes.equals(resent.bytes));
  });
});
