import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { startTestContext } from '../../../test/harness.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { newId } from '../../platform/shared/ids.ts';
import { runSendOnce, type SendLimits } from './send.ts';

const context = await startTestContext();

const callWith = (key: string) => {
  const request = {
    headers: { 'idempotency-key': key },
    method: 'POST',
    routeOptions: { url: '/send' },
    params: {},
    body: { message: 'Hello' },
    actor: { keyId: 'pk_send', scope: { kind: 'all' } },
  } as unknown as FastifyRequest; // the members that the idempotency reads
  const reply = { header: () => reply } as unknown as FastifyReply;
  return { request, reply };
};

const messageId = newId();
/** A send whose steps need no device: these tests are about the key. */
const sendCommand = {
  needsPreparation: true,
  fetchesImage: true,
  prepare: async () => 'prepared',
  accept: async (_tx: Transaction, prepared: string) => prepared,
  deliver: async () => 'delivered',
  respond: (accepted: string) => ({ success: true, data: { messageId, accepted, status: 'accepted' } }),
};
const response = { success: true, data: { messageId, accepted: 'prepared', status: 'accepted' } };
const unlimited: SendLimits = { admit: (work) => work(), throttle: (transaction) => transaction() };

const send = (key: string, changes: Partial<typeof sendCommand>, limits: SendLimits) =>
  runSendOnce(context, callWith(key), { ...sendCommand, ...changes } as never, limits);

test('keeps the claim while each step takes nearly as long as the claim', async () => {
  let runs = 0;
  const run = () => {
    runs += 1;
    assert.ok(runs <= 5, 'a retry ran the operation');
    const waitLong = async () => {
      await sql`
        update idempotency_keys set claimed_until = claimed_until - interval '35 seconds' where key = 'slow steps'`.execute(
        context.db,
      );
      await assert.rejects(run(), { details: { reason: 'idempotency_in_flight' } });
    };
    const prepare = async () => {
      await waitLong();
      return 'prepared';
    };
    const limits: SendLimits = {
      async admit(work) {
        await waitLong();
        return work();
      },
      async throttle(transaction) {
        await waitLong();
        return transaction();
      },
    };
    return send('slow steps', { prepare }, limits);
  };

  assert.deepEqual(await run(), response);
  assert.equal(runs, 4, 'three retries were refused');
  assert.deepEqual(await run(), response);
});

test('releases the key of a prepared send that loses its locks, so that a retry runs at once', async () => {
  const accept = async (tx: Transaction): Promise<string> => {
    await sql`do $$ begin raise 'a lock timeout' using errcode = 'lock_not_available'; end $$`.execute(tx);
    return 'not reached';
  };
  await assert.rejects(send('lost locks', { accept }, unlimited), { name: 'DatabaseLost' });
  assert.deepEqual(await send('lost locks', {}, unlimited), response);
});
