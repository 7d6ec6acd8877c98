import { tooManyAttempts } from '../../platform/http/errors.ts';
import { createAttemptCounter, toNetwork } from '../../platform/http/limits/attempts.ts';

/**
 * Attempts per minute in this process. The last limit stops guesses from many networks, but not people at a network where the
 * account is signed in: others cannot lock them out.
 */
const maxPerNetwork = 300;
const maxPerAccountAndNetwork = 10;
const maxPerAccount = 30;
/** Of the codes of a second factor, for those who know the password already. */
const maxPerSecondFactor = 5;

export interface SignInLimits {
  /** Counts an attempt, for an address whether it is known or not. Throws 429. */
  count(address: string, account?: string): void;
  /** Call it too unless the account is signed in from the address. */
  countElsewhere(account: string): void;
  countSecondFactor(personId: string): void;
}

export function createSignInLimits(): SignInLimits {
  const countByNetwork = createAttemptCounter(maxPerNetwork);
  const countByPair = createAttemptCounter(maxPerAccountAndNetwork);
  const countByAccount = createAttemptCounter(maxPerAccount);
  const countByPerson = createAttemptCounter(maxPerSecondFactor);
  const refuse = (wait: number) => {
    if (wait > 0) throw tooManyAttempts(wait);
  };
  return {
    count(address, account) {
      const network = toNetwork(address);
      refuse(countByNetwork(network));
      if (account !== undefined) refuse(countByPair(`${network} ${account}`));
    },
    countElsewhere: (account) => refuse(countByAccount(account)),
    countSecondFactor: (personId) => refuse(countByPerson(personId)),
  };
}
