import { openStartingPorts } from '../platform/http/starting-listener.ts';
import { openDataDirectory } from '../platform/shared/data-directory.ts';
import type { Config } from './config.ts';
import { openDatabase } from './open-database.ts';
import type { Addresses, StartOptions } from './roles.ts';

/** Starts the database, then the roles in order of dependency. If a start fails, the caller disposes `started`. */
export async function startRoles(options: Omit<StartOptions, 'ports'>): Promise<Addresses> {
  const { config, logger, started } = options;
  const ports = await openStartingPorts(listAddresses(config));
  started.defer(() => ports.close());
  await openDataDirectory(config.DATA_DIR, logger);
  const needsDatabase = [...config.ROLES].some((role) => role !== 'simulator');
  // The roles are most of the program. They load while the database starts.
  const [database, roles] = await Promise.all([
    needsDatabase ? openDatabase(options) : null,
    import('./roles.ts'),
  ]);
  return roles.startRolesOn(database, { ...options, ports });
}

/** The ports of the roles of this process, except the simulator's: it needs no database. */
function listAddresses(config: Config) {
  const { ROLES, HOST, PORT, POOL_HOST, POOL_PORT, METRICS_HOST, METRICS_PORT } = config;
  return [
    ...(ROLES.has('api') ? [{ host: HOST, port: PORT }] : []),
    ...(ROLES.has('pool') ? [{ host: POOL_HOST, port: POOL_PORT }] : []),
    ...(METRICS_PORT === null ? [] : [{ host: METRICS_HOST, port: METRICS_PORT }]),
  ];
}
