type Reason =
  | 'unsupported_platform'
  | 'binaries_unusable'
  | 'other_version'
  | 'not_a_cluster'
  | 'other_owner'
  | 'unsafe_directory'
  | 'initdb_failed'
  | 'password_lost'
  | 'password_sealed'
  | 'password_refused'
  | 'start_failed';

/** The embedded PostgreSQL cannot run. The message tells the operator why and what to do. */
export class EmbeddedServerError extends Error {
  override readonly name = 'EmbeddedServerError';
  readonly reason: Reason;

  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

const alternativeHint =
  'Set DATABASE_URL to a PostgreSQL 17+ server of your own to run without the embedded one.';

export function unsupportedPlatform(platform: string): EmbeddedServerError {
  return new EmbeddedServerError(
    'unsupported_platform',
    `The embedded PostgreSQL is not installed for this platform (${platform}). ${alternativeHint}`,
  );
}

export function rootUnsupported(platform: string): EmbeddedServerError {
  return new EmbeddedServerError(
    'unsupported_platform',
    `The embedded PostgreSQL cannot run as root on ${platform}: start Parley as an ordinary user. ${alternativeHint}`,
  );
}

export function binariesUnusable(problem: string): EmbeddedServerError {
  return new EmbeddedServerError(
    'binaries_unusable',
    `The embedded PostgreSQL cannot run on this machine: ${problem}. ${alternativeHint}`,
  );
}

export function otherVersion(directory: string, found: string, shipped: number): EmbeddedServerError {
  return new EmbeddedServerError(
    'other_version',
    `${directory} was written by PostgreSQL ${found}, this Parley ships PostgreSQL ${shipped}: start the Parley that ` +
      'wrote it and move the data over with pg_dump, or upgrade the directory with pg_upgrade.',
  );
}

export function notACluster(directory: string): EmbeddedServerError {
  return new EmbeddedServerError(
    'not_a_cluster',
    `${directory} exists but holds no PostgreSQL data: move it away, or choose another DATA_DIR.`,
  );
}

export function otherOwner(path: string): EmbeddedServerError {
  return new EmbeddedServerError(
    'other_owner',
    `${path} belongs to another user of this machine: start Parley as that user, or choose another DATA_DIR.`,
  );
}

export function unsafeDirectory(path: string): EmbeddedServerError {
  return new EmbeddedServerError(
    'unsafe_directory',
    `${path} is not a directory that only this user can write to: remove it and start again.`,
  );
}

export function initdbFailed(problem: string, cause: unknown): EmbeddedServerError {
  return new EmbeddedServerError(
    'initdb_failed',
    `The embedded PostgreSQL could not create its data: ${problem}. ${alternativeHint}`,
    { cause },
  );
}

const resetPassword =
  'To set a new one, stop every process, remove the file, put the line "local all all trust" at the top of pg_hba.conf in ' +
  'DATA_DIR/postgres/cluster, and start again.';

export function passwordLost(path: string): EmbeddedServerError {
  return new EmbeddedServerError(
    'password_lost',
    `${path} is missing, which holds the password of the embedded PostgreSQL: restore it from a backup. ${resetPassword}`,
  );
}

export function passwordSealed(path: string, cause: unknown): EmbeddedServerError {
  return new EmbeddedServerError(
    'password_sealed',
    `No encryption key opens ${path}, which holds the password of the embedded PostgreSQL: start with the key of the last ` +
      `start. ${resetPassword}`,
    { cause },
  );
}

export function passwordRefused(cause: unknown): EmbeddedServerError {
  return new EmbeddedServerError(
    'password_refused',
    'The embedded PostgreSQL refuses the password in DATA_DIR/database-password: restore the file that belongs to this ' +
      `database. ${resetPassword}`,
    { cause },
  );
}

export function startFailed(problem: string, logPath: string): EmbeddedServerError {
  return new EmbeddedServerError(
    'start_failed',
    `The embedded PostgreSQL did not start: ${problem}. Its log is ${logPath}.`,
  );
}
