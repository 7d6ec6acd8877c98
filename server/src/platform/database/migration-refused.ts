type RefusalReason =
  | 'postgres_too_old'
  | 'other_engine'
  | 'transaction_pooling'
  | 'postgres_lacks'
  | 'schema_newer'
  | 'older_version_running'
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

const oldestSupportedMajor = 17;

export function requireSupportedPostgres(version: string): void {
  if (Number.parseInt(version, 10) >= oldestSupportedMajor) return;
  throw new MigrationRefused(
    'postgres_too_old',
    `The database runs PostgreSQL ${version}; Parley needs PostgreSQL ${oldestSupportedMajor} or newer.`,
  );
}
