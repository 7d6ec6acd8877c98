// biome-ignore-all lint/suspicious/noTemplateCurlyInString: source text that contains template literals
import type { Defect } from '../defect.ts';

const rotation = {
  file: 'server/src/lifecycle/key-rotation/key-rotation.reliability.test.ts',
  name: 'rotates the key: reads old values, resumes after a kill',
};

/** Encryption keys and their rotation. */
export const keyDefects: readonly Defect[] = [
  {
    name: 'rotate-while-the-old-key-encrypts',
    file: 'server/src/lifecycle/key-rotation/key-rotation.jobs.ts',
    find: 'if (!(await db.transaction().execute((tx) => tryLockKeys(tx, older)))) {',
    replace: 'if (older.length === 0) {',
    test: rotation,
    why: 'Values that an old process encrypts during the job would be unreadable without the old key.',
  },
  {
    name: 'drop-the-old-key-before-api-keys-are-hashed-again',
    file: 'server/src/lifecycle/key-rotation/key-rotation.jobs.ts',
    find: 'if (apiKeys.length > 0) {',
    replace: 'if (apiKeys.length < 0) {',
    test: rotation,
    why: 'API keys that were not exchanged since the rotation would stop working without the old key.',
  },
  {
    name: 'verify-secrets-with-the-current-key-only',
    file: 'server/src/tenancy/api-keys/credentials.ts',
    find: 'const matching = hashes.filter(',
    replace: 'const matching = hashes.slice(0, 1).filter(',
    test: rotation,
    why: 'No API key would work after a rotation.',
  },
  {
    name: 'start-without-a-needed-key',
    file: 'server/src/platform/keyring/keyring.ts',
    find: 'requireKeys(options, needed);',
    replace: '',
    test: {
      file: 'server/src/lifecycle/key-rotation/key-rotation.reliability.test.ts',
      name: 'refuses to start without a key that the database needs',
    },
    why: 'A process with a wrong key would start and fail on every stored secret.',
  },
  {
    name: 'accept-revoked-device-tokens',
    file: 'server/src/pool/pool.ts',
    find: 'generation: await readGeneration(deviceId)',
    replace: 'generation: 0',
    test: {
      file: 'server/src/lifecycle/key-rotation/key-rotation.reliability.test.ts',
      name: 'a device keeps its token over a rotation until the token is revoked',
    },
    why: 'A leaked device token could not be revoked.',
  },
  {
    name: 'connect-as-superuser',
    file: 'server/src/platform/database/embedded/cluster-access.ts',
    find: 'login nosuperuser',
    replace: 'login superuser',
    test: {
      file: 'server/src/platform/database/embedded/embedded-server.reliability.test.ts',
      name: 'accepts only the sealed password, of a role that cannot run programs',
    },
    why: 'An SQL injection could run programs on the server.',
  },
  {
    name: 'replace-a-lost-key-file',
    file: 'server/src/process/encryption-keys.ts',
    find: 'if (databaseExists &&',
    replace: 'if (!databaseExists &&',
    test: {
      file: 'server/test/start-stop/refused-start.reliability.test.ts',
      name: 'a lost or damaged file of the generated key',
    },
    why: 'A start without the key file would write a new key, which opens nothing.',
  },
  {
    name: 'work-on-another-database',
    file: 'server/src/platform/database/installation-check.ts',
    find: 'id !== expected',
    replace: 'id === null',
    test: {
      file: 'server/test/start-stop/database-away.reliability.test.ts',
      name: 'ends when its database is replaced by another one',
    },
    why: 'A process would send, charge and delete for the customers of another installation.',
  },
  {
    name: 'exit-while-the-database-is-away',
    file: 'server/src/platform/database/wait-for-database.ts',
    find: 'if (error === null || !isAway(error)) return;',
    replace: 'return;',
    test: {
      file: 'server/test/start-stop/database-away.reliability.test.ts',
      name: 'waits for an unreachable database, reports that it is starting, and then serves',
    },
    why: 'After a power cut, Parley would stay down if it started before its database.',
  },
];
