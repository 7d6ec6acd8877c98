/** What a network charges for messages, in one currency. Null: the configuration has no prices. */
export interface MessagePrices {
  currency: string | null;
  /** By category and calling code, like `utility/49` or `utility`. Later dates come first. */
  prices: ReadonlyMap<string, readonly DatedPrice[]>;
}

interface DatedPrice {
  /** The first day in UTC, like `2026-10-01`. Empty: always. */
  since: string;
  amount: number;
}

const maxPrices = 2000;
const maxCodeLength = 7;
const category = /^[a-z_]{1,40}$/;
const code = new RegExp(`^[1-9]\\d{0,${maxCodeLength - 1}}$`);
// Up to 12 digits, which a number holds exactly.
const price = /^\d{1,6}(?:\.\d{1,6})?$/;

/**
 * Reads `EUR: category=price, category/code=price, category/code@date=price`. Throws an `Error` that names the wrong part.
 */
export function parseMessagePrices(text: string): MessagePrices {
  const prices = new Map<string, DatedPrice[]>();
  if (text === '') return { currency: null, prices };
  const [, currency, list = ''] = /^([A-Z]{3}):(.*)$/s.exec(text) ?? [];
  if (currency === undefined)
    throw new Error('must begin with a currency of three capital letters, like EUR: utility=0.03');
  const parts = list.split(',').flatMap((part) => part.trim() || []);
  if (parts.length === 0) throw new Error(`must have prices after ${currency}:, like utility=0.03`);
  if (parts.length > maxPrices) throw new Error(`must have at most ${maxPrices} prices`);
  for (const part of parts) {
    const { key, since, amount } = parsePrice(part);
    const others = prices.get(key) ?? [];
    if (others.some((other) => other.since === since))
      throw new Error(`names ${part.slice(0, part.indexOf('='))} twice`);
    prices.set(key, [...others, { since, amount }].sort(latestFirst));
  }
  return { currency, prices };
}

const latestFirst = (a: DatedPrice, b: DatedPrice) => (a.since < b.since ? 1 : -1);

function parsePrice(part: string): { key: string } & DatedPrice {
  const [, name = '', prefix, since = '', amount = ''] =
    /^([^/@=]+)(?:\/([^@=]*))?(?:@([^=]+))?=(.*)$/.exec(part) ?? [];
  if (name === '')
    throw new Error(
      `${part} must be like utility=0.03, utility/49=0.05 or utility/49@2026-10-01=0.06 (category/code@date=price)`,
    );
  if (!category.test(name))
    throw new Error(`${part}: the category must be 1 to 40 characters of a to z and _`);
  if (prefix !== undefined && !code.test(prefix))
    throw new Error(`${part}: the calling code must be 1 to ${maxCodeLength} digits without + or leading 0`);
  if (since !== '' && !isDate(since))
    throw new Error(`${part}: the date must be a day of the calendar, like 2026-10-01`);
  if (!price.test(amount))
    throw new Error(`${part}: the price must be a number below 1000000 with at most 6 decimals`);
  return { key: prefix === undefined ? name : `${name}/${prefix}`, since, amount: Number(amount) };
}

function isDate(text: string): boolean {
  if (!/^20\d\d-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** What a network reports about a message. */
export interface ReportedPricing {
  category: string;
  billable: boolean;
}

export interface Pricing extends ReportedPricing {
  /** Null: unknown. */
  amount: number | null;
  currency: string | null;
}

/**
 * Prices a message to a contact at `time`. Of the prices that have begun, the one of the longest calling code counts. A
 * contact without a number has no calling code.
 */
export function priceMessage(
  { currency, prices }: MessagePrices,
  { category, billable }: ReportedPricing,
  contactNumber: string,
  time: Date,
): Pricing {
  const digits = contactNumber.startsWith('+') ? contactNumber.slice(1, 1 + maxCodeLength) : '';
  const day = time.toISOString().slice(0, 10);
  const keys = Array.from(digits, (_, index) => `${category}/${digits.slice(0, digits.length - index)}`);
  const begun = [...keys, category].map((key) => prices.get(key)?.find(({ since }) => since <= day));
  const found = begun.find((entry) => entry !== undefined);
  return { category, billable, amount: billable ? (found?.amount ?? null) : 0, currency };
}
