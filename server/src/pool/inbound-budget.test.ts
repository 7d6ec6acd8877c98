import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createInboundBudget, type InboundRates } from './inbound-budget.ts';

const rates: InboundRates = { perContact: 6, perDevice: 60, maxWaitSeconds: 100 };

/** A budget with a clock that `advance` moves. */
function createBudget(members: Partial<InboundRates> = {}) {
  let now = 0;
  const budget = createInboundBudget({ ...rates, ...members }, { elapsed: () => now });
  const advance = (seconds: number) => {
    now += seconds * 1000;
  };
  const take = (contact: string, times = 1, device = 'device') => {
    const waits = Array.from({ length: times }, () => budget.take(device, contact));
    return waits.map((wait) => (wait === null ? null : Math.round(wait)));
  };
  return { take, advance };
}

test("a contact's messages beyond a minute's budget wait until the budget allows them", () => {
  const { take, advance } = createBudget();
  assert.deepEqual(take('Ana', 8), [0, 0, 0, 0, 0, 0, 10, 20]);
  assert.deepEqual(take('Ben'), [0]);
  assert.deepEqual(take('Ana', 1, 'another device'), [0]);
  advance(20);
  assert.deepEqual(take('Ana'), [10]);
  advance(600);
  assert.deepEqual(take('Ana', 7), [0, 0, 0, 0, 0, 0, 10]);
});

test('refuses messages beyond the maximum wait without counting them', () => {
  const { take, advance } = createBudget({ maxWaitSeconds: 20 });
  assert.deepEqual(take('Ana', 9).slice(6), [10, 20, null]);
  assert.deepEqual(
    take('Ana', 1000).filter((wait) => wait !== null),
    [],
  );
  assert.deepEqual(take('Ben'), [0], 'the refused messages did not use the budget of the device');
  advance(10);
  assert.deepEqual(take('Ana', 2), [20, null]);
});

test('messages of many contacts share the budget of the device', () => {
  const { take } = createBudget({ perDevice: 12 });
  const waits = Array.from({ length: 14 }, (_, n) => take(`contact ${n}`)[0]);
  assert.deepEqual(waits.slice(11), [0, 5, 10]);
});

test('a rate of 0 is unlimited', () => {
  const { take } = createBudget({ perContact: 0, perDevice: 0 });
  assert.deepEqual(
    take('Ana', 1000).filter((wait) => wait !== 0),
    [],
  );
});
