import { dirname } from 'node:path';
import type { Import } from './imports.ts';

export interface BoundaryRule {
  says: string;
  forbids: (imported: Import) => boolean;
}

const inServer = (path: string) => path.startsWith('server/src/');
const isTest = (path: string) => /\.(test|contract)\.ts$/.test(path) || path.startsWith('server/test/');
const isQueries = (path: string) => path.endsWith('.queries.ts');

/** Clients of a vendor or a network. */
const vendorPackage = /^(openai|baileys|ws|@(ai-sdk|aws-sdk)\/.+)$/;

/** The files of the server that an adapter package may import. */
const port = new Set([
  'server/src/ports/messaging-network/messaging-network.ts',
  'server/src/ports/messaging-network/supported-content.ts',
]);

export const boundaryRules: readonly BoundaryRule[] = [
  {
    says: 'SQL belongs in *.queries.ts, *.sql.ts, database/ and jobs/',
    forbids: ({ from, target, names, typeOnly }) =>
      inServer(from) &&
      !isTest(from) &&
      !isQueries(from) &&
      !from.endsWith('.sql.ts') &&
      !/^server\/src\/(database|jobs)\//.test(from) &&
      !typeOnly &&
      (target === 'pg' ||
        (target === 'kysely' && names.some((name) => name === 'sql' || name === '*' || name === 'Kysely'))),
  },
  {
    says: 'queries are private to their folder: export SQL for other folders from a *.sql.ts file',
    forbids: ({ from, target, typeOnly }) =>
      inServer(from) &&
      isQueries(target) &&
      !typeOnly &&
      dirname(from) !== dirname(target) &&
      !isTest(from) &&
      !isDatabase(target),
  },
  {
    says: 'vendor SDKs belong in adapters/ and packages/',
    forbids: ({ from, target }) =>
      inServer(from) && vendorPackage.test(target) && !from.startsWith('server/src/ports/') && !isTest(from),
  },
  {
    says: 'the simulator imports nothing from the server',
    forbids: ({ from, target }) =>
      from.startsWith('simulator/') && (target.startsWith('server/') || target === '@parley/server'),
  },
  {
    says: 'only roles.ts and the simulator adapter import the simulator, by its package name',
    forbids: ({ from, target }) =>
      inServer(from) &&
      !isTest(from) &&
      (target.startsWith('simulator/') ||
        (target === '@parley/simulator' &&
          from !== 'server/src/process/roles.ts' &&
          !from.startsWith('server/src/ports/messaging-network/'))),
  },
  {
    says: 'shared/ imports only shared/',
    forbids: ({ from, target }) =>
      from.startsWith('server/src/platform/shared/') &&
      inServer(target) &&
      !target.startsWith('server/src/platform/shared/'),
  },
  {
    says: 'database/ imports only database/ and shared/',
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
    says: 'a package imports only its port from the server',
    forbids: ({ from, target }) =>
      /^packages\/[^/]+\/src\//.test(from) &&
      !isTest(from) &&
      target.startsWith('server/') &&
      !port.has(target),
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
    says: 'only roles.ts imports compose/, and only these and the doctor import context.ts',
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
