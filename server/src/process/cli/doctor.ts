import { existsSync } from 'node:fs';
import { readPendingMigrations } from '../../platform/database/migrator.ts';
import { createLogger } from '../../platform/shared/logger.ts';
import { findMisspelled } from '../config-report.ts';
import { type Adapters, type Context, createAdapters, createContext } from '../context.ts';
import { openEncryptionKeys } from '../encryption-keys.ts';
import { adapterChecks } from './adapter-checks.ts';
import type { CommandInput } from './command.ts';
import {
  checkDatabaseAccess,
  checkDataDirectory,
  checkMemory,
  checkPools,
  checkReplica,
} from './deployment-checks.ts';
import { type Check, type Finding, runChecks } from './findings.ts';
import { openDeployment, readWholeConfig } from './open-deployment.ts';

/** Checks everything that the configuration names. Returns 1 if a check failed. */
export async function runDoctor(input: CommandInput): Promise<number> {
  const json = input.values['json'] === true;
  const findings = await examine(input, (finding) => {
    if (!json) input.print(formatFinding(finding));
  });
  if (json) input.print(JSON.stringify(findings, null, 2));
  return findings.some(({ status }) => status === 'failed') ? 1 : 0;
}

async function examine(
  { environment }: CommandInput,
  report: (finding: Finding) => void,
): Promise<Finding[]> {
  const config = readWholeConfig(environment);
  const misspelled = findMisspelled(environment).map(
    ({ given, meant }) => `${given} (did you mean ${meant}?)`,
  );
  const before: Check[] = [
    {
      name: 'configuration',
      async run() {
        if (misspelled.length === 0) return 'valid';
        return { warning: `unknown variables: ${misspelled.join(', ')}`, fix: 'correct or remove them' };
      },
    },
    { name: 'data directory', run: () => checkDataDirectory(config.DATA_DIR) },
    { name: 'memory', run: async () => checkMemory(config) },
  ];
  const findings = await runChecks(before, report);
  if (config.DATABASE_URL === null && !existsSync(config.DATA_DIR)) return findings;
  const deployment = await openDeployment(environment).catch((error: unknown) => error as Error);
  if (deployment instanceof Error) {
    const failed: Check = { name: 'database', run: () => Promise.reject(deployment) };
    return [...findings, ...(await runChecks([failed], report))];
  }
  try {
    const { databaseUrl } = deployment;
    const access: Check = { name: 'database', run: () => checkDatabaseAccess(databaseUrl) };
    findings.push(...(await runChecks([access], report)));
    if (findings.some(({ name, status }) => name === 'database' && status === 'failed')) return findings;
    if ((await readPendingMigrations(databaseUrl)).length > 0) return findings;
    const { encryptionKeys, keySource } = await openEncryptionKeys(config);
    const logger = createLogger('silent');
    const context = await createContext({ config, databaseUrl, encryptionKeys, keySource, logger });
    try {
      return [
        ...findings,
        ...(await runChecks(contextChecks(context, await createAdapters(context)), report)),
      ];
    } finally {
      await context.close();
    }
  } finally {
    await deployment.release();
  }
}

const contextChecks = (context: Context, adapters: Adapters): Check[] => [
  { name: 'encryption keys', run: async () => 'open everything that the database holds' },
  ...replicaChecks(context),
  ...adapterChecks(context.config, adapters),
  { name: 'pools', run: () => checkPools(context.db) },
];

const replicaChecks = ({
  config: { DATABASE_READ_URL: replica },
  databaseUrl: primary,
  installationId,
}: Context): Check[] =>
  replica === null
    ? []
    : [
        {
          name: 'read replica',
          fix: 'check DATABASE_READ_URL; meanwhile the api reads lists from DATABASE_URL',
          run: () => checkReplica({ primary, replica }, installationId),
        },
      ];

const marks = { ok: 'ok     ', warning: 'WARNING', failed: 'FAILED ' } as const;

const formatFinding = ({ name, status, detail, fix }: Finding): string =>
  `${marks[status]}  ${name}: ${detail}${fix === undefined ? '' : `\n         Fix: ${fix}`}`;
