-- records: One row: the incarnation of the event log. It changes on another server, where cursors of before mean nothing.
create table event_log (
  only_row boolean not null default true,
  incarnation uuid not null default gen_random_uuid(),
  server text,
  fanned_xid xid8 not null default '0'::xid8,
  fanned_seq bigint not null default 0,
  constraint event_log_pkey PRIMARY KEY (only_row),
  constraint event_log_only_row_check CHECK (only_row)
);
