import { createHash } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { toDataURL } from 'qrcode';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { badRequest, forbidden, unauthorized } from '../../platform/http/errors.ts';
import { toNetwork } from '../../platform/http/limits/attempts.ts';
import type { Encryption, SealedColumn } from '../../platform/shared/encryption.ts';
import { isSameHash, type Passwords } from './passwords.ts';
import { lockPerson, normalizeEmail, selectUsersOf } from './people.queries.ts';
import {
  confirmSecret,
  deleteSecondFactor,
  lockSecondFactor,
  saveSecret,
  saveStep,
  takeRecoveryCode,
} from './second-factor.queries.ts';
import type { SignInLimits } from './sign-in-limits.ts';

export interface SecondFactorDependencies {
  db: Database;
  encryption: Pick<Encryption, 'seal' | 'open'>;
  passwords: Passwords;
  limits: SignInLimits;
  /** The name that apps show. */
  brandName: string;
}

/** Throws 403 if the person has a second factor that the sign-in does not prove. */
export type SecondFactorCheck = (tx: Transaction, personId: string) => Promise<void>;

/** For sign-ins that need no second factor. Each caller says why. */
export const exempt: SecondFactorCheck = async () => undefined;

const context = (personId: string): string => `second_factors:${personId}`;

export const sealedSecondFactors: SealedColumn = {
  table: 'second_factors',
  column: 'secret_sealed',
  identity: ['person_id'],
  context,
};

const secretBytes = 20;
const periodSeconds = 30;
const recoveryCodes = 10;
/** Makes 16 characters. Guessing one of the hashes is out of reach. */
const recoveryBytes = 10;

/** `given` is a code of the app or a recovery code. Everything it changes is undone if the sign-in fails. */
export const checkSecondFactor =
  (
    { encryption, limits }: Pick<SecondFactorDependencies, 'encryption' | 'limits'>,
    given: string | undefined,
  ): SecondFactorCheck =>
  async (tx, personId) => {
    const factor = await lockSecondFactor(tx, personId);
    if (factor?.is_confirmed !== true) return;
    if (given === undefined)
      throw forbidden('second_factor_needed', 'Send a code of the authenticator app, or a recovery code');
    limits.countSecondFactor(personId);
    const code = given.replaceAll(/[\s-]/g, '').toUpperCase();
    if (!/^\d{6}$/.test(code)) {
      if (!(await takeRecoveryCode(tx, personId, hashRecoveryCode(code)))) throw wrongCode();
      return;
    }
    const step = findStep(encryption.open(factor.secret_sealed, context(personId)), code);
    if (step === null || step <= factor.last_step) throw wrongCode();
    await saveStep(tx, personId, step);
  };

const wrongCode = () =>
  forbidden('second_factor_wrong', 'The code is wrong or was used; wait for the next one');

const hashRecoveryCode = (code: string): Buffer => createHash('sha256').update(code).digest();

const totp = (secret: Uint8Array, label?: { issuer: string; label: string }): TOTP =>
  new TOTP({
    ...label,
    period: periodSeconds,
    secret: new Secret({ buffer: new Uint8Array(secret).buffer }),
  });

/** Returns the 30 seconds that the code is for. The clock of the phone may be off by as many. */
function findStep(secret: Uint8Array, code: string): number | null {
  const now = Date.now();
  const delta = totp(secret).validate({ token: code, timestamp: now, window: 1 });
  return delta === null ? null : Math.floor(now / 1000 / periodSeconds) + delta;
}

/** Makes a secret, which counts once it is confirmed. Throws `second_factor_active`. */
export async function startSecondFactor(
  { db, encryption, brandName }: SecondFactorDependencies,
  personId: string,
): Promise<{ secret: string; url: string; qr_code: string }> {
  const secret = new Secret({ size: secretBytes });
  const email = await db.transaction().execute(async (tx) => {
    const person = await lockPerson(tx, personId);
    if (person === undefined) throw unauthorized('invalidToken');
    if (!(await saveSecret(tx, personId, encryption.seal(secret.bytes, context(personId)))))
      throw badRequest('second_factor_active', 'Remove the present second factor first');
    return person.email;
  });
  const url = totp(secret.bytes, { issuer: brandName, label: email }).toString();
  const qrCode = await toDataURL(url, { errorCorrectionLevel: 'M', width: 320 });
  return { secret: secret.base32, url, qr_code: qrCode };
}

/** Returns the recovery codes, which are not kept. Throws `second_factor_absent` and `second_factor_wrong`. */
export async function confirmSecondFactor(
  { db, encryption, limits }: SecondFactorDependencies,
  personId: string,
  code: string,
): Promise<{ recovery_codes: string[] }> {
  return db.transaction().execute(async (tx) => {
    const factor = await lockSecondFactor(tx, personId);
    if (factor === undefined || factor.is_confirmed || factor.is_late)
      throw badRequest('second_factor_absent', 'Begin again: no second factor waits for a code');
    limits.countSecondFactor(personId);
    const step = findStep(encryption.open(factor.secret_sealed, context(personId)), code);
    if (step === null) throw wrongCode();
    const codes = Array.from({ length: recoveryCodes }, () => new Secret({ size: recoveryBytes }).base32);
    await confirmSecret(tx, personId, { step, hashes: codes.map(hashRecoveryCode) });
    return { recovery_codes: codes.map((each) => each.replaceAll(/(.{4})(?=.)/g, '$1-')) };
  });
}

/** Throws `second_factor_absent`, `password_wrong`, `second_factor_needed` and `second_factor_wrong`. */
export async function removeSecondFactor(
  deps: SecondFactorDependencies,
  { personId, address }: { personId: string; address: string },
  { password, second_factor: code }: { password?: string; second_factor?: string },
): Promise<void> {
  const { db, passwords, limits } = deps;
  const [user] = await selectUsersOf(db, personId);
  if (user === undefined) throw unauthorized('invalidToken');
  const email = normalizeEmail(user.email);
  if (password !== undefined) limits.count(address, email);
  const hash = password === undefined ? null : await passwords.hash(password, email, toNetwork(address));
  await db.transaction().execute(async (tx) => {
    const person = await lockPerson(tx, personId);
    if ((await lockSecondFactor(tx, personId))?.is_confirmed !== true)
      throw badRequest('second_factor_absent', 'There is no second factor');
    if (hash === null) await checkSecondFactor(deps, code)(tx, personId);
    else if (!isSameHash(person?.password_hash ?? '', hash))
      throw badRequest('password_wrong', 'The present password is wrong');
    await deleteSecondFactor(tx, personId);
  });
}
