import type { Import } from './imports.ts';
import { importsUpwards, roomOf } from './rooms.ts';

export interface BoundaryRule {
  says: string;
  forbids: (imported: Import) => boolean;
}

const inServer = (path: string) => path.startsWith('server/src/');
const isTest = (path: string) => /\.(test|contract)\.ts$/.test(path) || path.startsWith('server/test/');
const isQueries = (path: string) => path.endsWith('.queries.ts');

/** Clients of a vendor or a network. */
const vendorPackage = /^(openai|baileys|nodemailer|ws|@(ai-sdk|aws-sdk)\/.+)$/;

export const boundaryRules: readonly BoundaryRule[] = [
  {
    says: 'a file imports only its own room and the rooms below it (scripts/check/rooms.ts)',
    forbids: (imported) => !isTest(imported.from) && importsUpwards(imported),
  },
  {
    says: 'SQL belongs in *.queries.ts, *.sql.ts, platform/database/ and platform/jobs/',
    forbids: ({ from, target, names, typeOnly }) =>
      inServer(from) &&
      !isTest(from) &&
      !isQueries(from) &&
      !from.endsWith('.sql.ts') &&
      !/^server\/src\/platform\/(database|jobs)\//.test(from) &&
      !typeOnly &&
      (target === 'pg' ||
        (target === 'kysely' && names.some((name) => name === 'sql' || name === '*' || name === 'Kysely'))),
  },
  {
    says: 'queries are private to their room: export SQL for other rooms from a *.sql.ts file',
    forbids: ({ from, target, typeOnly }) =>
      inServer(from) &&
      isQueries(target) &&
      !typeOnly &&
      !isTest(from) &&
      !isDatabase(target) &&
      roomOf(from) !== roomOf(target),
  },
  {
    says: 'vendor SDKs belong in ports/, in openai-hosted/ and in packages/',
    forbids: ({ from, target }) =>
      inServer(from) &&
      vendorPackage.test(target) &&
      !/^server\/src\/(ports|knowledge\/assistant-provider\/openai-hosted)\//.test(from) &&
      !isTest(from),
  },
  {
    says: 'the simulator imports nothing from the server',
    forbids: ({ from, target }) =>
      from.startsWith('simulator/') && (target.startsWith('server/') || target === '@parley/server'),
  },
  {
    says: 'only process/roles.ts and the adapter of the simulator import the simulator, by its package name',
    forbids: ({ from, target }) =>
      inServer(from) &&
      !isTest(from) &&
      (target.startsWith('simulator/') ||
        (target === '@parley/simulator' &&
          from !== 'server/src/process/roles.ts' &&
          !from.startsWith('server/src/ports/messaging-network/'))),
  },
  {
    says: 'platform/shared/ imports only itself',
    forbids: ({ from, target }) =>
      from.startsWith('server/src/platform/shared/') &&
      inServer(target) &&
      !target.startsWith('server/src/platform/shared/'),
  },
  {
    says: 'platform/database/ imports only itself and platform/shared/',
    forbids: ({ from, target }) =>
      isDatabase(from) &&
      !isTest(from) &&
      inServer(target) &&
      !isDatabase(target) &&
      !target.startsWith('server/src/platform/shared/'),
  },
  {
    says: 'the server imports nothing from scripts/, bench/ or its tests',
    forbids: ({ from, target }) =>
      inServer(from) && !isTest(from) && /^(scripts|bench|server\/test)\//.test(target),
  },
  {
    says: 'a package imports only what server/package.json exports',
    forbids: ({ from, target }) =>
      /^packages\/[^/]+\/src\//.test(from) && !isTest(from) && target.startsWith('server/'),
  },
  {
    says: 'the server imports no optional package',
    forbids: ({ from, target }) => inServer(from) && target.startsWith('packages/'),
  },
  {
    says: 'the SDK imports only itself, so that it runs everywhere',
    forbids: ({ from, target }) => from.startsWith('sdk/src/') && !target.startsWith('sdk/src/'),
  },
  {
    says: 'only process/roles.ts imports compose/, and only these and the doctor import context.ts',
    forbids: ({ from, target }) =>
      inServer(from) &&
      !isTest(from) &&
      from !== 'server/src/process/roles.ts' &&
      !inCompose(from) &&
      (inCompose(target) ||
        (target === 'server/src/process/context.ts' && from !== 'server/src/process/cli/doctor.ts')),
  },
];

const inCompose = (path: string) => path.startsWith('server/src/process/compose/');
const isDatabase = (path: string) => path.startsWith('server/src/platform/database/');
