import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseMessagePrices, priceMessage } from './message-prices.ts';

const noon = (day: string) => new Date(`${day}T12:00:00Z`);

/** The amount of a billed message. */
const amount = (prices: string, category: string, contact: string, time = noon('2026-11-28')) =>
  priceMessage(parseMessagePrices(prices), { category, billable: true }, contact, time).amount;

test('takes the price of the longest calling code, and the price without one for all others', () => {
  const prices =
    'EUR: marketing/49=0.1131, utility/49=0.0456,utility=0.03,utility/1=0.004,utility/1246=0.01,';
  assert.equal(amount(prices, 'marketing', '+4917012345'), 0.1131);
  assert.equal(amount(prices, 'utility', '+4917012345'), 0.0456);
  assert.equal(amount(prices, 'utility', '+15550199'), 0.004);
  assert.equal(amount(prices, 'utility', '+12465550199'), 0.01);
  assert.equal(amount(prices, 'utility', '+5511987'), 0.03);
  assert.equal(amount(prices, 'marketing', '+15550199'), null);
  assert.equal(amount(prices, 'authentication', '+4917012345'), null);
});

test('knows no calling code of a contact without a number', () => {
  const prices = 'EUR: utility=0.03, utility/49=0.05, marketing/49=0.11';
  assert.equal(amount(prices, 'utility', 'bsuid:DE.491234567890'), 0.03);
  assert.equal(amount(prices, 'utility', 'bsuid:49'), 0.03);
  assert.equal(amount(prices, 'marketing', 'bsuid:DE.491234567890'), null);
});

test('changes the price at the first second of the day in UTC', () => {
  const prices =
    'EUR: utility/49@2026-10-01=0.06, utility/49=0.05, utility=0.03, marketing/49@2026-10-01=0.1';
  const before = new Date('2026-09-30T23:59:59.999Z');
  const after = new Date('2026-10-01T00:00:00.000Z');
  assert.deepEqual(
    [before, after].map((time) => amount(prices, 'utility', '+4917', time)),
    [0.05, 0.06],
  );
  assert.deepEqual(
    [before, after].map((time) => amount(prices, 'marketing', '+4917', time)),
    [null, 0.1],
  );
});

test('uses shorter calling codes until the price of a longer one begins', () => {
  const prices = 'EUR: utility=0.03, utility/49@2026-10-01=0.06';
  assert.equal(amount(prices, 'utility', '+4917', noon('2026-09-30')), 0.03);
  assert.equal(amount(prices, 'utility', '+4917', noon('2026-10-01')), 0.06);
});

test('charges nothing for a message that the network does not bill', () => {
  const free = { category: 'service', billable: false };
  const none = parseMessagePrices('');
  assert.deepEqual(priceMessage(none, free, '+4917', noon('2026-11-28')), {
    ...free,
    amount: 0,
    currency: null,
  });
  const prices = parseMessagePrices('USD: service=0.02');
  assert.deepEqual(priceMessage(prices, free, '+4917', noon('2026-11-28')), {
    ...free,
    amount: 0,
    currency: 'USD',
  });
  assert.deepEqual(priceMessage(none, { ...free, billable: true }, '+4917', noon('2026-11-28')), {
    category: 'service',
    billable: true,
    amount: null,
    currency: null,
  });
});

test('rejects wrong prices with the wrong part', () => {
  const wrong: [string, RegExp][] = [
    ['utility=0.03', /^must begin with a currency of three capital letters, like EUR: utility=0.03$/],
    ['eur: utility=0.03', /must begin with a currency/],
    ['EUR:', /must have prices after EUR:/],
    ['EUR: , ,', /must have prices after EUR:/],
    ['EUR: utility', /^utility must be like/],
    ['EUR: =0.03', /^=0.03 must be like/],
    ['EUR: /49=0.03', /^\/49=0.03 must be like/],
    ['EUR: utility@=1', /^utility@=1 must be like/],
    ['EUR: Utility=1', /^Utility=1: the category must be 1 to 40 characters/],
    [`EUR: ${'u'.repeat(41)}=1`, /the category must be 1 to 40 characters/],
    ['EUR: utility/=1', /^utility\/=1: the calling code must be 1 to 7 digits/],
    ['EUR: utility/+49=1', /the calling code must be/],
    ['EUR: utility/049=1', /the calling code must be/],
    ['EUR: utility/12345678=1', /the calling code must be/],
    ['EUR: utility/4/9=1', /the calling code must be/],
    ['EUR: utility@2026-02-29=1', /^utility@2026-02-29=1: the date must be a day of the calendar/],
    ['EUR: utility@01.10.2026=1', /the date must be a day/],
    ['EUR: utility/49@2026-10-1=1', /the date must be a day/],
    ['EUR: utility=', /^utility=: the price must be a number below 1000000/],
    ['EUR: utility=-1', /the price must be/],
    ['EUR: utility=1e3', /the price must be/],
    ['EUR: utility=1000000', /the price must be/],
    ['EUR: utility=0.0000001', /the price must be/],
    ['EUR: utility=1=2', /the price must be/],
    ['EUR: utility=1, utility=1', /^names utility twice$/],
    ['EUR: utility/49@2026-10-01=1, utility/49@2026-10-01=2', /^names utility\/49@2026-10-01 twice$/],
  ];
  for (const [prices, message] of wrong) assert.throws(() => parseMessagePrices(prices), { message }, prices);
});

test('takes the largest values and at most 2000 prices', () => {
  const largest = `EUR: ${'u'.repeat(40)}/1234567@2099-12-31=999999.999999`;
  assert.equal(amount(largest, 'u'.repeat(40), '+12345678', noon('2100-01-01')), 999999.999999);
  assert.equal(amount('EUR: utility=0.000001', 'utility', '+4917'), 0.000001);
  const many = (count: number) =>
    `EUR: ${Array.from({ length: count }, (_, index) => `utility/${index + 1}=1`).join(',')}`;
  assert.equal(parseMessagePrices(many(2000)).prices.size, 2000);
  assert.throws(() => parseMessagePrices(many(2001)), /must have at most 2000 prices/);
});

const days = ['2026-09-30', '2026-10-01', '2026-10-31', '2026-11-01'];
const entries = fc.uniqueArray(
  fc.record({
    category: fc.constantFrom('utility', 'marketing'),
    code: fc.constantFrom('', '1', '12', '124', '1246', '4', '49'),
    since: fc.constantFrom('', ...days),
    cents: fc.integer({ min: 0, max: 99_999_999 }),
  }),
  { selector: ({ category, code, since }) => `${category}/${code}@${since}`, maxLength: 30 },
);

test('prices every message as a search of the whole list does, in whatever order it is written', () => {
  const messages = fc.record({
    category: fc.constantFrom('utility', 'marketing', 'service'),
    contact: fc.constantFrom('+12465550', '+1245', '+1', '+4917', '+44', '+39', 'bsuid:US.1246', 'bsuid:49'),
    day: fc.constantFrom(...days, '2026-12-24'),
  });
  fc.assert(
    fc.property(entries, messages, (listed, { category, contact, day }) => {
      const text = listed.map(
        (entry) =>
          `${entry.category}${entry.code && `/${entry.code}`}${entry.since && `@${entry.since}`}=${(entry.cents / 1e6).toFixed(6)}`,
      );
      const [best] = listed
        .filter((entry) => entry.category === category && entry.since <= day)
        .filter(({ code }) => code === '' || contact.startsWith(`+${code}`))
        .sort((a, b) => b.code.length - a.code.length || b.since.localeCompare(a.since));
      const expected = best === undefined ? null : best.cents / 1e6;
      for (const order of [text, text.toReversed()])
        assert.equal(
          amount(order.length === 0 ? '' : `EUR: ${order.join(',')}`, category, contact, noon(day)),
          expected,
        );
    }),
  );
});
