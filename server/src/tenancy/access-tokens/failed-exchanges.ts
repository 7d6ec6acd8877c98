import { createAttemptCounter, toNetwork } from '../../platform/http/limits/attempts.ts';

const maxPerKey = 60;
const maxPerAddress = 600;

/** Counts failures per minute. It never refuses an exchange, so a correct secret works however many others failed. */
export interface FailedExchanges {
  /** `keyId` is null for a malformed body. Returns the seconds to wait if a limit is exceeded, otherwise 0. */
  count(address: string, keyId: string | null): number;
}

export function createFailedExchanges(): FailedExchanges {
  const countByAddress = createAttemptCounter(maxPerAddress);
  const countByKey = createAttemptCounter(maxPerKey);
  return {
    count(address, keyId) {
      const network = toNetwork(address);
      const wait = countByAddress(network);
      // An address over its limit takes no room from the windows of others.
      return wait > 0 || keyId === null ? wait : countByKey(`${network} ${keyId}`);
    },
  };
}
