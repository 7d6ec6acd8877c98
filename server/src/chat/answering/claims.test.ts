import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startChatApp } from '../../../test/chats.ts';
import { eventually } from '../../../test/eventually.ts';
import { claimDue, postponeClaim, releaseClaim, renewClaims } from '../conversations/claims.sql.ts';
import { endClaim } from './answer-conversation.ts';

const app = await startChatApp();
const { db } = app.context;
const desk = await app.addDevice();
const leaseSeconds = 15;

const claimOne = async () => (await claimDue(db, { limit: 1, leaseSeconds })).claims;

/** Writes a message and claims it. Due times are rounded to milliseconds, sometimes into the future. */
async function claimOf(contactNumber: string) {
  await app.write(desk, contactNumber, 'hello');
  return eventually(async () => {
    const [claim] = await claimOne();
    assert.ok(claim);
    return claim;
  });
}

async function secondsHeld(conversationId: string): Promise<number | null> {
  const { rows } = await sql<{ seconds: number | null }>`
    select extract(epoch from claimed_until - now())::float8 as seconds from conversations
    where id = ${conversationId}`.execute(db);
  return rows[0]?.seconds ?? null;
}

test('does not renew a claim that has ended', async () => {
  const claim = await claimOf('+15550101');
  assert.deepEqual(await renewClaims(db, [claim], leaseSeconds), []);
  await releaseClaim(db, claim);
  assert.deepEqual(await renewClaims(db, [claim], leaseSeconds), [claim]);
  assert.equal(await secondsHeld(claim.conversationId), null);
  const [again] = await claimOne();
  assert.equal(again?.conversationId, claim.conversationId);
});

test('a late renewal does not extend the delay after a failure', async () => {
  const claim = await claimOf('+15550102');
  await postponeClaim(db, claim, { seconds: 1, flag: null, flagReason: null });
  assert.deepEqual(await renewClaims(db, [claim], leaseSeconds), [claim]);
  assert.ok(Number(await secondsHeld(claim.conversationId)) <= 1);
});

test('of two claims on a conversation, reports the lost one and renews the other', async () => {
  const lost = await claimOf('+15550103');
  await sql`update conversations set claimed_until = now() - interval '1 second' where id = ${lost.conversationId}`.execute(
    db,
  );
  const [standing] = await claimOne();
  assert.equal(standing?.conversationId, lost.conversationId);
  assert.deepEqual(await renewClaims(db, [lost, standing], leaseSeconds), [lost]);
});

test('skips locked conversations when renewing, without losing their claims', async () => {
  const [locked, free] = [await claimOf('+15550104'), await claimOf('+15550105')];
  const ids = [locked.conversationId, free.conversationId];
  await sql`update conversations set claimed_until = now() - interval '1 second' + interval '5 seconds' where id = any(${ids}::uuid[])`.execute(
    db,
  );
  await db.transaction().execute(async (tx) => {
    await sql`select from conversations where id = ${locked.conversationId} for update`.execute(tx);
    assert.deepEqual(await renewClaims(db, [locked, free], leaseSeconds), []);
  });
  assert.ok(Number(await secondsHeld(free.conversationId)) > 10);
  assert.deepEqual(await renewClaims(db, [locked], leaseSeconds), []);
  assert.ok(Number(await secondsHeld(locked.conversationId)) > 10);
});

test('a failure reported after the claim ended neither delays nor flags the conversation', async () => {
  const claim = await claimOf('+15550106');
  await endClaim(app.context, claim, null);
  await postponeClaim(db, claim, { seconds: 600, flag: 'provider_failed', flagReason: 'transient' });
  const { rows } = await sql`
    select claimed_until, flag from conversations where id = ${claim.conversationId}`.execute(db);
  assert.deepEqual(rows, [{ claimed_until: null, flag: null }]);
});
