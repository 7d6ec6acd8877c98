import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { startTestContext } from '../../../test/harness.ts';
import type { Position } from './cursor.ts';
import { selectEvents } from './events.queries.ts';

const total = 100_000;
const perTransaction = 50;
const writers = 8;

const { db } = await startTestContext();

/** Writes events in transactions that commit after random delays. Every tenth one is rolled back. */
async function write(writer: number, committed: Set<string>): Promise<void> {
  const transactions = total / perTransaction / writers;
  for (let n = 0; n < transactions; n += 1) {
    const rollsBack = Math.random() < 0.1;
    const work = db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ id: string }>`
        insert into events (type, data) select 'credits.exhausted', '{}' from generate_series(1, ${perTransaction})
        returning id`.execute(tx);
      await delay(Math.random() * (writer === 0 ? 60 : 6));
      if (rollsBack) throw new Error('rolled back');
      return rows;
    });
    const rows = await work.catch((error: Error) => {
      assert.equal(error.message, 'rolled back');
      n -= 1;
      return [];
    });
    for (const { id } of rows) committed.add(id);
  }
}

/** Follows the log with a cursor, like a client, until `isDone` and nothing is left. */
async function follow(limit: number, isDone: () => boolean): Promise<string[]> {
  const seen: string[] = [];
  let after: Position = { xid: '0', seq: '-1' };
  for (;;) {
    const done = isDone();
    const { rows, reached } = await selectEvents(
      db,
      { kind: 'all' },
      {},
      { after, limit, maxBytes: 2 ** 30 },
    );
    seen.push(...rows.map(({ id }) => id));
    after = rows.length === limit ? (rows.at(-1) ?? reached) : reached;
    if (rows.length === limit) continue;
    if (done && seen.length >= total) return seen;
    await delay(Math.random() * 20);
  }
}

test(`no cursor skips or repeats one of ${total} events whose transactions end in random order`, async () => {
  const committed = new Set<string>();
  let done = false;
  const readers = [37, 500, 1000].map((limit) => follow(limit, () => done));
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer, committed)));
  done = true;
  assert.equal(committed.size, total);
  for (const seen of await Promise.all(readers)) {
    assert.equal(seen.length, total);
    assert.deepEqual(new Set(seen), committed);
  }
});
