type Reason =
  | 'unsupported_platform'
  | 'binaries_unusable'
  | 'other_version'
  | 'not_a_cluster'
  | 'other_owner'
  | 'unsafe_directory'
  | 'initdb_failed'
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

const ALTERNATIVE =
  'Set DATABASE_URL to a PostgreSQL 17+ server of your own to run without the embedded one.';

export function unsupportedPlatform(platform: string): EmbeddedServerError {
  return new EmbeddedServerError(
    'unsupported_platform',
    `The embedded PostgreSQL is not installed for this platform (${platform}). ${ALTERNATIVE}`,
  );
}

export function rootUnsupported(platform: string): EmbeddedServerError {
  return new EmbeddedServerError(
    'unsupported_platform',
    `The embedded PostgreSQL cannot run as root on ${platform}: start Parley as an ordinary user. ${ALTERNATIVE}`,
  );
}

export function binariesUnusable(problem: string): EmbeddedServerError {
  return new EmbeddedServerError(
    'binaries_unusable',
    `The embedded PostgreSQL cannot run on this machine: ${problem}. ${ALTERNATIVE}`,
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
    `The embedded PostgreSQL could not create its data: ${problem}. ${ALTERNATIVE}`,
    { cause },
  );
}

export function startFailed(problem: string, logPath: string): EmbeddedServerError {
  return new EmbeddedServerError(
    'start_failed',
    `The embedded PostgreSQL did not start: ${problem}. Its log is ${logPath}.`,
  );
}
