import { randomInt, timingSafeEqual } from 'node:crypto';
import type { Transaction } from '../../platform/database/database.ts';
import { badRequest, unauthorized } from '../../platform/http/errors.ts';
import { timestamp } from '../../platform/http/fields.ts';
import type { KeyedHash } from '../../platform/shared/encryption.ts';
import { newId } from '../../platform/shared/ids.ts';
import type { Outbox } from './mails.ts';
import { normalizeEmail } from './people.queries.ts';
import {
  type Browser,
  type PeopleDependencies,
  type Started,
  settableMinutes,
  startSession,
} from './people.ts';
import { countAttempt, insertProof, takeProof } from './proofs.queries.ts';
import { checkSecondFactor } from './second-factor.ts';
import { hashToken, newToken } from './session-cookie.ts';
import { joinUsersOf } from './shared-sign-in.ts';

export interface CodeDependencies extends PeopleDependencies {
  /** Null: no mail server is configured. */
  outbox: Outbox | null;
  keyedHash: KeyedHash;
}

/** With 5 attempts for each of 20 codes in an hour, a guess hits an address once in 100 years. */
const codeDigits = 8;
const codeMinutes = 10;
const recoveryMinutes = 60;
const minutesFromNow = (minutes: number): Date => new Date(Date.now() + minutes * 60_000);

const requireOutbox = (outbox: Outbox | null): Outbox => {
  if (outbox === null) throw mailNotConfigured();
  return outbox;
};

const mailNotConfigured = () =>
  badRequest(
    'mail_not_configured',
    'This deployment sends no mail; sign in with a password, or ask an owner of your team for a new invitation',
  );

interface MailRequest {
  email: string;
  language?: string;
}

/** Runs the same statements for every address. The worker finds out whether somebody has it. */
export async function requestCode(
  deps: CodeDependencies,
  browser: Browser,
  { email: given, language = 'en' }: MailRequest,
): Promise<{ request_id: string; expires_at: string }> {
  const outbox = requireOutbox(deps.outbox);
  const email = normalizeEmail(given);
  deps.limits.count(browser.address, email);
  const [id, expiresAt] = [newId(), minutesFromNow(codeMinutes)];
  const code = String(randomInt(10 ** codeDigits)).padStart(codeDigits, '0');
  const secretHash = hashCode(deps.keyedHash, id, code);
  await deps.db.transaction().execute(async (tx) => {
    if (await outbox.add(tx, { kind: 'code', email, language, secret: code, expiresAt }))
      await insertProof(tx, { id, email, secretHash, expiresAt });
  });
  return { request_id: id, expires_at: timestamp(expiresAt) };
}

const hashCode = (keyedHash: KeyedHash, id: string, code: string): Buffer =>
  keyedHash('sign-in-code', `${id}:${code}`);

/** Uses a code up, in the transaction of `use`, which gets the proved address. Throws 401 for a wrong code. */
export async function takeCode<Result>(
  deps: Pick<CodeDependencies, 'db' | 'keyedHash' | 'limits'>,
  address: string,
  { request_id: id, email, code }: { request_id: string; email: string; code: string },
  use: (tx: Transaction, proved: string) => Promise<Result>,
): Promise<Result> {
  deps.limits.count(address, email);
  const hash = hashCode(deps.keyedHash, id, code);
  // Committed by itself, so that attempts in parallel count, too.
  const expected = await countAttempt(deps.db, id, email);
  if (expected === undefined || !timingSafeEqual(expected, hash)) throw unauthorized('invalidKey');
  return deps.db.transaction().execute(async (tx) => {
    const proved = await takeProof(tx, expected);
    if (proved === undefined) throw unauthorized('invalidKey');
    return use(tx, proved);
  });
}

/** Proves the address, so all users of it become one person. Throws 401 for a wrong code and for an unknown address. */
export async function signInWithCode(
  deps: CodeDependencies,
  browser: Browser,
  input: { request_id: string; email: string; code: string; second_factor?: string },
): Promise<Started> {
  const email = normalizeEmail(input.email);
  return takeCode(deps, browser.address, { ...input, email }, async (tx, proved) => {
    const personId = await joinUsersOf(tx, proved);
    if (personId === null) throw unauthorized('invalidKey');
    return startSession(tx, personId, browser, checkSecondFactor(deps, input.second_factor), settableMinutes);
  });
}

/** Mails a link that signs in and lets the person choose a password. Runs the same statements for every address. */
export async function requestRecovery(
  deps: CodeDependencies,
  browser: Browser,
  { email: given, language = 'en' }: MailRequest,
): Promise<void> {
  const outbox = requireOutbox(deps.outbox);
  const email = normalizeEmail(given);
  deps.limits.count(browser.address, email);
  const [token, expiresAt] = [newToken(), minutesFromNow(recoveryMinutes)];
  const proof = { id: newId(), email, secretHash: hashToken(token), expiresAt };
  await deps.db.transaction().execute(async (tx) => {
    if (await outbox.add(tx, { kind: 'recovery', email, language, secret: token, expiresAt }))
      await insertProof(tx, proof);
  });
}
