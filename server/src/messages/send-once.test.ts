import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { startTestContext } from '../../test/harness.ts';
import { runSendOnce } from './send.ts';

const context = await startTestContext();

test('keeps the claim while each step takes nearly as long as the claim', async () => {
  const request = {
    headers: { 'idempotency-key': 'slow steps' },
    method: 'POST',
    routeOptions: { url: '/slow' },
    params: {},
    body: { message: 'Hello' },
    actor: { keyId: 'pk_slow', scope: { kind: 'all' } },
  } as unknown as FastifyRequest; // the members that the idempotency reads
  const reply = { header: () => reply } as unknown as FastifyReply;
  let runs = 0;
  const run = () => {
    runs += 1;
    assert.ok(runs <= 4, 'a retry ran the operation');
    const waitLong = async () => {
      await sql`
        update idempotency_keys set claimed_until = claimed_until - interval '35 seconds' where key = 'slow steps'`.execute(
        context.db,
      );
      await assert.rejects(run(), { details: { reason: 'idempotency_in_flight' } });
    };
    const command = {
      needsPreparation: true,
      fetchesImage: true,
      async prepare() {
        await waitLong();
        return 'prepared';
      },
      accept: async (_tx: unknown, prepared: string) => prepared,
      deliver: async () => 'delivered',
      respond: (accepted: string) => ({ accepted }),
    };
    const limits = {
      async admit<Result>(work: () => Promise<Result>) {
        await waitLong();
        return work();
      },
      async throttle<Result>(transaction: () => Promise<Result>) {
        await waitLong();
        return transaction();
      },
    };
    // The steps of a send need a device. These test only the key.
    return runSendOnce(context, { request, reply }, command as never, limits);
  };

  assert.deepEqual(await run(), { accepted: 'prepared' });
  assert.equal(runs, 4, 'three retries were refused');
});
