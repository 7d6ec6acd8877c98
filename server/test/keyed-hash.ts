import { createKeyedHash } from '../src/platform/shared/encryption.ts';

export const keyedHash = createKeyedHash(Buffer.alloc(32, 7));
