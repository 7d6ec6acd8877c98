import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startChatApp } from '../../test/chats.ts';
import { eventually } from '../../test/eventually.ts';
import { claimDue, postponeClaim } from '../conversations/claims.sql.ts';
import { endClaim } from './answer-conversation.ts';

const app = await startChatApp();
const { db } = app.context;

test('a failure reported after the claim ended neither delays nor flags the conversation', async () => {
  const desk = await app.addDevice();
  await app.write(desk, '+15550101', 'hello');
  // The time at which it is due is rounded to milliseconds, up as well.
  const claim = await eventually(async () => (await claimDue(db, 1, 15))[0] ?? assert.fail('not due yet'));
  await endClaim(app.context, claim, null);
  await postponeClaim(db, claim, { seconds: 600, flag: 'provider_failed' });
  const { rows } = await sql`
    select claimed_until, flag from conversations where id = ${claim.conversationId}`.execute(db);
  assert.deepEqual(rows, [{ claimed_until: null, flag: null }]);
});
