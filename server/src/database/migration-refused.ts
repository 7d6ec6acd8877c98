type RefusalReason =
  | 'postgres_too_old'
  | 'postgres_lacks'
  | 'schema_newer'
  | 'migration_changed'
  | 'migration_out_of_order';

export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

const OLDEST_SUPPORTED_MAJOR = 17;

export function requireSupportedPostgres(version: string): void {
  if (Number.parseInt(version, 10) >= OLDEST_SUPPORTED_MAJOR) return;
  throw new MigrationRefused(
    'postgres_too_old',
    `The database runs PostgreSQL ${version}; Parley needs PostgreSQL ${OLDEST_SUPPORTED_MAJOR} or newer.`,
  );
}
