import { openDatabase } from './open-database.ts';
import type { Addresses, StartOptions } from './roles.ts';
import { openDataDirectory } from './shared/data-directory.ts';

/** Starts the database, then the roles in order of dependency. If a start fails, the caller disposes `started`. */
export async function startRoles(options: StartOptions): Promise<Addresses> {
  const { config, logger } = options;
  await openDataDirectory(config.DATA_DIR, logger);
  const needsDatabase = [...config.ROLES].some((role) => role !== 'simulator');
  // The roles are most of the program. They load while the database starts.
  const [database, roles] = await Promise.all([
    needsDatabase ? openDatabase(options) : null,
    import('./roles.ts'),
  ]);
  return roles.startRolesOn(database, options);
}
