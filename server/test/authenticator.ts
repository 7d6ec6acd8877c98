import { Secret, TOTP } from 'otpauth';

/** The code that an authenticator app shows now, or some steps of 30 seconds later. */
export const showCode = (secret: string, stepsAhead = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + stepsAhead * 30_000 });
