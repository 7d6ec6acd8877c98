-- records: Files and objects at providers whose deletion is still due. Written with the deletion of the row that named it; a job deletes both. A reader may expect marks of deleted rows: these are orders to delete.
create table tombstones (
  id uuid not null,
  team_id uuid not null,
  kind text not null,
  ref text not null,
  attempts integer not null default 0,
  next_attempt_at timestamp(3) with time zone not null default now(),
  last_error text,
  created_at timestamp(3) with time zone not null default now(),
  constraint tombstones_pkey PRIMARY KEY (id),
  constraint tombstones_kind_check CHECK (kind = ANY (ARRAY['assistant'::text, 'knowledge'::text, 'document'::text, 'tagged'::text, 'file'::text, 'session'::text, 'team_rows'::text]))
);

create index tombstones_due ON public.tombstones (next_attempt_at);
create index tombstones_ref ON public.tombstones (ref);
