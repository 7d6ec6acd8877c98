import { argon2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { unavailable } from '../../platform/http/errors.ts';
import type { KeyedHash } from '../../platform/shared/encryption.ts';
import { createSemaphore } from '../../platform/shared/semaphore.ts';

export interface Passwords {
  /** Takes the same time for every address. `network` is that of the caller: networks take turns. */
  hash(password: string, email: string, network: string): Promise<string>;
  close(): void;
}

const derive = promisify(argon2);

/** As OWASP recommends for Argon2id. Other values need another number in the hash. */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };

/** The salt follows from the address, so that one computation serves all people of an address, and unknown addresses. */
export function createPasswords(keyedHash: KeyedHash): Passwords {
  const overloaded = () => unavailable('overloaded', 'Too many people sign in at once; retry', 1);
  const semaphore = createSemaphore({
    maxRunning: 2,
    maxWaiting: 100,
    maxWaitMs: 5_000,
    errors: { full: overloaded, timedOut: overloaded, closed: overloaded },
  });
  return {
    hash: (password, email, network) =>
      semaphore.run(
        async () => {
          const nonce = keyedHash('password-salt', email);
          const hash = await derive('argon2id', { message: password.normalize('NFKC'), nonce, ...cost });
          return `1:${hash.toString('base64url')}`;
        },
        { group: network },
      ),
    close: () => semaphore.close(),
  };
}

/** Whether two results of `hash` are the same. */
export const isSameHash = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
