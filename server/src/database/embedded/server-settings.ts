/** What a new cluster starts with, in its `postgresql.conf`, where the operator may change it. */
export const CLUSTER_SETTINGS: Readonly<Record<string, string>> = {
  shared_buffers: '128MB',
  max_connections: '200',
  // A program stopped inside a transaction must not hold its rows for ever.
  idle_in_transaction_session_timeout: '60s',
  // A table that was empty when a statement was planned is read through from end to end, however fast it fills, until its
  // statistics follow: a minute, by default, in which the queues of a new deployment would be read so.
  autovacuum_naptime: '5s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statements and failing rows hold what customers wrote: they stay out of the log.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
};
