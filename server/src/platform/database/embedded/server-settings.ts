/** The operator may change these in the cluster's `postgresql.conf`. */
export const clusterSettings: Readonly<Record<string, string>> = {
  shared_buffers: '128MB',
  max_connections: '200',
  // A process that stops inside a transaction must not hold its locks forever.
  idle_in_transaction_session_timeout: '60s',
  // Plans made while a table was empty scan it completely until its statistics are updated.
  autovacuum_naptime: '5s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statements and rejected rows contain customers' data, so do not log them.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
};
